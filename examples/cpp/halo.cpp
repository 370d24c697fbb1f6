// SPDX-License-Identifier: Apache-2.0
// A halo exchange: the temperature of a plate, cut into one tile for each PE.
//
// In each step a cell becomes the mean of its four neighbours. Cells at the edge of a tile need those of the
// tile next to it, so each step begins with four puts: every edge goes, with a signal, into an inbox of the
// neighbour there. No PE waits for more than its neighbours. At the end PE 0 fetches all tiles and compares
// them, bit for bit, with what it has computed alone.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include <shmem.hpp>

namespace {

constexpr int kRows = 61, kColumns = 47; // tiles of different sizes, whatever the number of PEs
constexpr std::uint64_t kSteps = 200;
static_assert(kSteps % 2 == 0, "the last step must end in symmetric memory");

/// A rectangle of cells with a frame, one cell wide, around it.
class Field {
public:
    Field(double* cells, int rows, int columns) : cells_(cells), rows_(rows), columns_(columns) {}
    static std::size_t cells(int rows, int columns) { return std::size_t(rows + 2) * (columns + 2); }

    int rows() const { return rows_; }
    int columns() const { return columns_; }
    /// From row -1 and column -1, in the frame.
    double& at(int row, int column) const {
        return cells_[std::size_t(row + 1) * (columns_ + 2) + (column + 1)];
    }

private:
    double* cells_;
    int rows_, columns_;
};

/// Part of the plate: from which row and column, and how many.
struct Tile {
    int row, column, rows, columns;
};

void set_start(const Field& field, const Tile& tile) {
    for (int row = -1; row <= field.rows(); ++row)
        for (int column = -1; column <= field.columns(); ++column)
            field.at(row, column) = (tile.row + row) * 31 % 17 + (tile.column + column) * 57 % 23;
}

void relax(const Field& from, const Field& to) {
    for (int row = 0; row < to.rows(); ++row)
        for (int column = 0; column < to.columns(); ++column)
            to.at(row, column) = 0.25 * (from.at(row - 1, column) + from.at(row + 1, column) +
                                         from.at(row, column - 1) + from.at(row, column + 1));
}

/// The PEs as a grid, as square as their number allows: a prime number of them is one row.
struct ProcessGrid {
    int rows = 1, columns;

    explicit ProcessGrid(int n_pes) {
        for (int divisor = 1; divisor * divisor <= n_pes; ++divisor)
            if (n_pes % divisor == 0)
                rows = divisor;
        columns = n_pes / rows;
    }
    Tile tile(int pe) const {
        int row = pe / columns, column = pe % columns;
        int top = kRows * row / rows, left = kColumns * column / columns;
        return {top, left, kRows * (row + 1) / rows - top, kColumns * (column + 1) / columns - left};
    }
};

enum Side { north, south, west, east };
constexpr int kSides = 4;
constexpr Side opposite(int side) {
    return static_cast<Side>(side ^ 1);
}

/// The PE on each side; -1 at the rim of the plate.
std::array<int, kSides> neighbours(const ProcessGrid& grid, int pe) {
    int row = pe / grid.columns, column = pe % grid.columns;
    return {row > 0 ? pe - grid.columns : -1, row + 1 < grid.rows ? pe + grid.columns : -1,
            column > 0 ? pe - 1 : -1, column + 1 < grid.columns ? pe + 1 : -1};
}

/// The cells along a side: the tile's own, or those of the frame outside.
class Edge {
public:
    Edge(const Field& field, int side, bool outside) : field_(field), side_(side) {
        bool far = side == south || side == east;
        int length = side == north || side == south ? field.rows() : field.columns();
        fixed_ = far ? length - 1 + outside : -static_cast<int>(outside);
    }
    int size() const { return is_row() ? field_.columns() : field_.rows(); }
    double& operator[](int i) const { return is_row() ? field_.at(fixed_, i) : field_.at(i, fixed_); }

private:
    bool is_row() const { return side_ == north || side_ == south; }

    const Field& field_;
    int side_, fixed_;
};

/// What the neighbours put here. Two inboxes for each side, used in turn: a neighbour may be one step ahead,
/// and it cannot be two, because for that it needs this PE's edge of the step between.
class Halo {
public:
    explicit Halo(const ProcessGrid& grid)
        : neighbours_(neighbours(grid, shmem::my_pe())), inboxes_(kLongestEdge * 2 * kSides),
          arrived_(kSides), edge_(kLongestEdge) {}

    /// Step numbers begin at 1.
    void exchange(const Field& field, std::uint64_t step) {
        for (int side = 0; side < kSides; ++side)
            if (neighbours_[side] >= 0)
                send(Edge(field, side, false), side, step);
        for (int side = 0; side < kSides; ++side)
            if (neighbours_[side] >= 0)
                receive(Edge(field, side, true), side, step);
    }

private:
    static constexpr std::size_t kLongestEdge = kRows > kColumns ? kRows : kColumns;

    double* inbox(int side, std::uint64_t step) const {
        return &inboxes_[(step % 2 * kSides + side) * kLongestEdge];
    }

    void send(const Edge& edge, int side, std::uint64_t step) {
        for (int i = 0; i < edge.size(); ++i)
            edge_[i] = edge[i];
        // What is to the north of this PE has this PE to its south.
        Side there = opposite(side);
        shmem::put_signal(inbox(there, step), edge_.data(), edge.size() * sizeof(double), &arrived_[there],
                          step, SHMEM_SIGNAL_SET, neighbours_[side]);
    }

    void receive(const Edge& frame, int side, std::uint64_t step) {
        // At least: the neighbour may have signalled its next step already.
        shmem::signal_wait_until(&arrived_[side], SHMEM_CMP_GE, step);
        const double* from = inbox(side, step);
        for (int i = 0; i < frame.size(); ++i)
            frame[i] = from[i];
    }

    std::array<int, kSides> neighbours_;
    shmem::symmetric<double> inboxes_;
    shmem::symmetric<std::uint64_t> arrived_; // the last step whose edge has come, for each side
    std::vector<double> edge_;                // on its way
};

/// Runs all steps on a tile, whose cells end in `cells`. Without a halo the tile is all of the plate.
void compute(double* cells, const Tile& tile, Halo* halo) {
    std::vector<double> next(Field::cells(tile.rows, tile.columns));
    Field from(cells, tile.rows, tile.columns), to(next.data(), tile.rows, tile.columns);
    set_start(from, tile);
    set_start(to, tile); // for its frame
    for (std::uint64_t step = 1; step <= kSteps; ++step) {
        if (halo)
            halo->exchange(from, step);
        relax(from, to);
        std::swap(from, to);
    }
}

/// How many rows of all tiles are not, bit for bit, as if one PE had computed them.
int count_wrong_rows(const ProcessGrid& grid, const shmem::symmetric<double>& tiles) {
    std::vector<double> all(Field::cells(kRows, kColumns)), cells(tiles.size());
    compute(all.data(), {0, 0, kRows, kColumns}, nullptr);
    Field expected(all.data(), kRows, kColumns);
    int wrong = 0;
    for (int pe = 0; pe < shmem::n_pes(); ++pe) {
        shmem::get(cells, tiles, pe);
        Tile tile = grid.tile(pe);
        Field found(cells.data(), tile.rows, tile.columns);
        for (int row = 0; row < tile.rows; ++row)
            wrong += std::memcmp(&found.at(row, 0), &expected.at(tile.row + row, tile.column),
                                 tile.columns * sizeof(double)) != 0;
    }
    return wrong;
}

} // namespace

int main() {
    shmem::init();
    ProcessGrid grid(shmem::n_pes());
    if (grid.columns > kColumns) {
        std::fprintf(stderr, "halo: a plate of %d x %d cells is too small for %d PEs\n", kRows, kColumns,
                     shmem::n_pes());
        return 2;
    }
    // Symmetric memory has one size on all PEs: that of the largest tile.
    auto tiles = shmem::symmetric<double>(Field::cells(kRows / grid.rows + 1, kColumns / grid.columns + 1));
    Halo halo(grid);
    compute(tiles.data(), grid.tile(shmem::my_pe()), &halo);
    shmem::barrier_all(); // all tiles are complete

    int wrong = shmem::my_pe() == 0 ? count_wrong_rows(grid, tiles) : 0;
    if (wrong > 0)
        std::fprintf(stderr, "halo: %d rows of tiles differ from the serial run\n", wrong);
    else if (shmem::my_pe() == 0)
        std::printf("halo: %d x %d cells on %d x %d PEs equal the serial run bit for bit\n", kRows, kColumns,
                    grid.rows, grid.columns);
    shmem::finalize();
    return wrong > 0;
}
