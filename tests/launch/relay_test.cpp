// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "launch/relay.hpp"

namespace shm::launch {
namespace {

std::string everything(Relay& relay) {
    std::string text(relay.pending());
    relay.consume(text.size());
    return text;
}

TEST(Relay, lines_of_different_pes_never_mix) {
    Relay relay(2, {});
    relay.take(0, "one ");
    relay.take(1, "two ");
    relay.take(0, "PE\nand ");
    relay.take(1, "PEs\n");
    relay.take(0, "more\n");
    EXPECT_EQ(everything(relay), "one PE\ntwo PEs\nand more\n");
}

TEST(Relay, a_line_that_is_not_ended_is_held_until_it_is_released) {
    Relay relay(2, {});
    relay.take(0, "name? ");
    EXPECT_EQ(everything(relay), "");
    EXPECT_TRUE(relay.holds(0));
    relay.release(0);
    EXPECT_EQ(everything(relay), "name? ");
    EXPECT_FALSE(relay.holds(0));
}

TEST(Relay, what_follows_an_unended_line_of_another_pe_starts_on_a_fresh_line) {
    Relay relay(2, {});
    relay.take(0, "name? ");
    relay.release(0);
    relay.take(1, "busy\n");
    EXPECT_EQ(everything(relay), "name? \nbusy\n");
}

TEST(Relay, a_pe_continues_its_own_unended_line) {
    Relay relay(2, {.tags = true, .terminal = true});
    relay.take(0, "name? ");
    relay.release(0);
    relay.take(0, "thanks\n");
    EXPECT_EQ(everything(relay), "[0] name? thanks\n");
}

TEST(Relay, one_pe_without_tags_is_passed_through_at_once) {
    Relay relay(1, {});
    relay.take(0, "half a li");
    EXPECT_EQ(everything(relay), "half a li");
}

TEST(Relay, tags_start_every_line) {
    Relay relay(2, {.tags = true, .terminal = false});
    relay.take(1, "a\n\nb\r\n");
    EXPECT_EQ(everything(relay), "[1] a\n[1] \n[1] b\r\n");
}

TEST(Relay, on_a_terminal_a_carriage_return_ends_a_line) {
    Relay relay(2, {.tags = true, .terminal = true});
    relay.take(0, "10%\r20%\r");
    EXPECT_EQ(everything(relay), "[0] 10%\r[0] 20%\r");
    relay.take(1, "done\r\n");
    EXPECT_EQ(everything(relay), "\n[1] done\r\n");
}

TEST(Relay, off_a_terminal_a_carriage_return_is_a_character) {
    Relay relay(2, {});
    relay.take(0, "10%\r");
    EXPECT_EQ(everything(relay), "");
    relay.take(0, "20%\n");
    EXPECT_EQ(everything(relay), "10%\r20%\n");
}

TEST(Relay, words_of_the_launcher_are_lines_of_their_own_without_a_tag) {
    Relay relay(2, {.tags = true, .terminal = false});
    relay.take(0, "last words");
    relay.release(0);
    relay.say("shmemrun: the end");
    EXPECT_EQ(everything(relay), "[0] last words\nshmemrun: the end\n");
}

TEST(Relay, a_line_of_many_pieces_stays_one_line) {
    Relay relay(2, {});
    constexpr std::size_t kPieces = 1024;
    const std::string piece(4096, 'x');
    const std::string short_line = "short\n";
    for (std::size_t i = 0; i < kPieces; ++i) {
        relay.take(0, piece);
        relay.take(1, short_line);
    }
    relay.take(0, "\n");
    std::string text = everything(relay);
    const std::size_t long_line = kPieces * short_line.size(); // it comes last: the others ended before it
    EXPECT_EQ(text.substr(0, long_line).find('x'), text.npos);
    EXPECT_EQ(text.substr(long_line), std::string(kPieces * piece.size(), 'x') + "\n");
}

TEST(Relay, a_line_without_end_is_broken_before_it_fills_memory) {
    Relay relay(2, {});
    const std::string piece(Relay::kLongestLine / 4, 'x');
    for (int i = 0; i < 4; ++i)
        relay.take(0, piece);
    EXPECT_TRUE(relay.pending().empty());
    relay.take(0, "y");
    EXPECT_EQ(relay.pending().size(), Relay::kLongestLine + 2);
    EXPECT_FALSE(relay.holds(0));
}

TEST(Relay, consuming_in_pieces_yields_every_byte_once_and_in_order) {
    Relay relay(1, {});
    std::string expected, got;
    for (int i = 0; i < 100'000; ++i) {
        std::string line = std::to_string(i) + " some text to fill the line\n";
        expected += line;
        relay.take(0, line);
        std::string_view piece = relay.pending().substr(0, i % 40);
        got += piece;
        relay.consume(piece.size());
    }
    got += everything(relay);
    EXPECT_EQ(got, expected);
}

} // namespace
} // namespace shm::launch
