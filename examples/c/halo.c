/* SPDX-License-Identifier: Apache-2.0 */
/* A halo exchange: the temperature of a plate, cut into one tile for each PE.

   In each step a cell becomes the mean of its four neighbours. Cells at the edge of a tile need those of the
   tile next to it, so each step begins with four puts: every edge goes, with a signal, into an inbox of the
   neighbour there. No PE waits for more than its neighbours. At the end PE 0 fetches all tiles and compares
   them, bit for bit, with what it has computed alone. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shmem.h>

#define ROWS 61
#define COLUMNS 47 /* tiles of different sizes, whatever the number of PEs */
#define LONGEST_EDGE ROWS
#define STEPS 200
_Static_assert(STEPS % 2 == 0, "the last step must end in symmetric memory");

/* A rectangle of cells with a frame, one cell wide, around it. */
typedef struct {
    double* cells;
    int rows, columns;
} Field;

static size_t cells_of(int rows, int columns) {
    return (size_t)(rows + 2) * (columns + 2);
}

/* From row -1 and column -1, in the frame. */
static double* at(Field field, int row, int column) {
    return &field.cells[(size_t)(row + 1) * (field.columns + 2) + (column + 1)];
}

/* Part of the plate: from which row and column, and how many. */
typedef struct {
    int row, column, rows, columns;
} Tile;

static void set_start(Field field, Tile tile) {
    for (int row = -1; row <= field.rows; ++row)
        for (int column = -1; column <= field.columns; ++column)
            *at(field, row, column) = (tile.row + row) * 31 % 17 + (tile.column + column) * 57 % 23;
}

static void relax(Field from, Field to) {
    for (int row = 0; row < to.rows; ++row)
        for (int column = 0; column < to.columns; ++column)
            *at(to, row, column) = 0.25 * (*at(from, row - 1, column) + *at(from, row + 1, column) +
                                           *at(from, row, column - 1) + *at(from, row, column + 1));
}

/* The PEs as a grid, as square as their number allows: a prime number of them is one row. */
typedef struct {
    int rows, columns;
} ProcessGrid;

static ProcessGrid grid_of(int n_pes) {
    ProcessGrid grid = {1, n_pes};
    for (int divisor = 1; divisor * divisor <= n_pes; ++divisor)
        if (n_pes % divisor == 0)
            grid = (ProcessGrid){divisor, n_pes / divisor};
    return grid;
}

static Tile tile_of(ProcessGrid grid, int pe) {
    int row = pe / grid.columns, column = pe % grid.columns;
    int top = ROWS * row / grid.rows, left = COLUMNS * column / grid.columns;
    return (Tile){top, left, ROWS * (row + 1) / grid.rows - top,
                  COLUMNS * (column + 1) / grid.columns - left};
}

enum { north, south, west, east, sides };

static int opposite(int side) {
    return side ^ 1;
}

/* What the neighbours put here. Two inboxes for each side, used in turn: a neighbour may be one step ahead,
   and it cannot be two, because for that it needs this PE's edge of the step between. */
typedef struct {
    int neighbour[sides]; /* the PE there; -1 at the rim of the plate */
    double* inboxes;      /* symmetric, as is: */
    uint64_t* arrived;    /* the last step whose edge has come, for each side */
} Halo;

static void find_neighbours(Halo* halo, ProcessGrid grid, int pe) {
    int row = pe / grid.columns, column = pe % grid.columns;
    halo->neighbour[north] = row > 0 ? pe - grid.columns : -1;
    halo->neighbour[south] = row + 1 < grid.rows ? pe + grid.columns : -1;
    halo->neighbour[west] = column > 0 ? pe - 1 : -1;
    halo->neighbour[east] = column + 1 < grid.columns ? pe + 1 : -1;
}

static double* inbox(const Halo* halo, int side, uint64_t step) {
    return halo->inboxes + (step % 2 * sides + side) * LONGEST_EDGE;
}

static int edge_size(Field field, int side) {
    return side == north || side == south ? field.columns : field.rows;
}

/* A cell along a side: one of the tile's own, or one of the frame outside. */
static double* edge_cell(Field field, int side, bool outside, int i) {
    switch (side) {
    case north:
        return at(field, outside ? -1 : 0, i);
    case south:
        return at(field, outside ? field.rows : field.rows - 1, i);
    case west:
        return at(field, i, outside ? -1 : 0);
    default:
        return at(field, i, outside ? field.columns : field.columns - 1);
    }
}

static void send_edge(const Halo* halo, Field field, int side, uint64_t step) {
    double edge[LONGEST_EDGE];
    int size = edge_size(field, side);
    for (int i = 0; i < size; ++i)
        edge[i] = *edge_cell(field, side, false, i);
    int there = opposite(side); /* what is to the north of this PE has this PE to its south */
    shmem_putmem_signal(inbox(halo, there, step), edge, size * sizeof(double), &halo->arrived[there], step,
                        SHMEM_SIGNAL_SET, halo->neighbour[side]);
}

static void receive_edge(const Halo* halo, Field field, int side, uint64_t step) {
    /* At least: the neighbour may have signalled its next step already. */
    shmem_signal_wait_until(&halo->arrived[side], SHMEM_CMP_GE, step);
    const double* from = inbox(halo, side, step);
    for (int i = 0; i < edge_size(field, side); ++i)
        *edge_cell(field, side, true, i) = from[i];
}

/* Step numbers begin at 1. */
static void exchange(const Halo* halo, Field field, uint64_t step) {
    for (int side = 0; side < sides; ++side)
        if (halo->neighbour[side] >= 0)
            send_edge(halo, field, side, step);
    for (int side = 0; side < sides; ++side)
        if (halo->neighbour[side] >= 0)
            receive_edge(halo, field, side, step);
}

/* Runs all steps on a tile, whose cells end in `cells`. Without a halo the tile is all of the plate.
 */
static void compute(double* cells, Tile tile, const Halo* halo) {
    double* next = malloc(cells_of(tile.rows, tile.columns) * sizeof(double));
    if (!next)
        exit(1);
    Field from = {cells, tile.rows, tile.columns}, to = {next, tile.rows, tile.columns};
    set_start(from, tile);
    set_start(to, tile); /* for its frame */
    for (uint64_t step = 1; step <= STEPS; ++step) {
        if (halo)
            exchange(halo, from, step);
        relax(from, to);
        Field old = from;
        from = to;
        to = old;
    }
    free(next);
}

/* How many rows of all tiles are not, bit for bit, as if one PE had computed them. */
static int count_wrong_rows(ProcessGrid grid, const double* tiles, size_t tile_cells) {
    double* all = malloc(cells_of(ROWS, COLUMNS) * sizeof(double));
    double* cells = malloc(tile_cells * sizeof(double));
    if (!all || !cells)
        exit(1);
    compute(all, (Tile){0, 0, ROWS, COLUMNS}, NULL);
    Field expected = {all, ROWS, COLUMNS};
    int wrong = 0;
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        shmem_getmem(cells, tiles, tile_cells * sizeof(double), pe);
        Tile tile = tile_of(grid, pe);
        Field found = {cells, tile.rows, tile.columns};
        for (int row = 0; row < tile.rows; ++row)
            wrong += memcmp(at(found, row, 0), at(expected, tile.row + row, tile.column),
                            tile.columns * sizeof(double)) != 0;
    }
    free(cells);
    free(all);
    return wrong;
}

int main(void) {
    shmem_init();
    ProcessGrid grid = grid_of(shmem_n_pes());
    if (grid.columns > COLUMNS) {
        fprintf(stderr, "halo: a plate of %d x %d cells is too small for %d PEs\n", ROWS, COLUMNS,
                shmem_n_pes());
        return 2;
    }
    /* Symmetric memory has one size on all PEs: that of the largest tile. */
    size_t tile_cells = cells_of(ROWS / grid.rows + 1, COLUMNS / grid.columns + 1);
    double* tiles = shmem_calloc(tile_cells, sizeof(double));
    Halo halo;
    find_neighbours(&halo, grid, shmem_my_pe());
    halo.inboxes = shmem_malloc(sizeof(double) * 2 * sides * LONGEST_EDGE);
    halo.arrived = shmem_calloc(sides, sizeof(uint64_t));
    if (!tiles || !halo.inboxes || !halo.arrived)
        exit(1); /* the library has said why */

    compute(tiles, tile_of(grid, shmem_my_pe()), &halo);
    shmem_barrier_all(); /* all tiles are complete */

    int wrong = shmem_my_pe() == 0 ? count_wrong_rows(grid, tiles, tile_cells) : 0;
    if (wrong > 0)
        fprintf(stderr, "halo: %d rows of tiles differ from the serial run\n", wrong);
    else if (shmem_my_pe() == 0)
        printf("halo: %d x %d cells on %d x %d PEs equal the serial run bit for bit\n", ROWS, COLUMNS,
               grid.rows, grid.columns);
    shmem_free(halo.arrived);
    shmem_free(halo.inboxes);
    shmem_free(tiles);
    shmem_finalize();
    return wrong > 0;
}
