// How is a journal made small, at little cost?
//
// Most of what a record says was said before: a motion begins where the last one ended, a turn is as fast as the turn before,
// and a command tells how long its motion takes. So each number is compared with a few that are likely, and where it is one of
// them, half a byte says which. Of any other those bytes are kept in which it differs from what stood in its place last.
//
// Which records there are, and how their numbers are found, is the outline, which repeats itself and is worth compressing
// further. The bytes of numbers that nothing foretold are not. The layout is told in docs/recording.md.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kumi {

struct PackedJournal {
    std::string outline, numbers;
};

// False where the bytes are not whole records.
bool pack_journal(std::string_view journal, PackedJournal& packed);

// False where these are not what a journal of that length was packed into.
bool unpack_journal(std::string_view outline, std::string_view numbers, std::size_t length,
                    std::string& journal);

}  // namespace kumi
