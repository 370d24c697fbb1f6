// SPDX-License-Identifier: Apache-2.0
#include "base/words.hpp"

#include "base/format.hpp"

namespace shm {

std::string bytes_text(std::uint64_t bytes) {
    constexpr const char* kUnits[] = {"MiB", "GiB", "TiB", "PiB", "EiB"};
    constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
    if (bytes < kMiB)
        return format_text("{} byte{}", bytes, bytes == 1 ? "" : "s");
    double number = static_cast<double>(bytes) / static_cast<double>(kMiB);
    std::size_t unit = 0;
    for (; number >= 1024 && unit + 1 < std::size(kUnits); ++unit)
        number /= 1024;
    std::string text = format_text("{:.4g} {}", number, kUnits[unit]);
    return bytes % kMiB == 0 ? text : format_text("{} bytes ({})", bytes, text);
}

std::string number_list(const std::vector<int>& numbers, int most) {
    std::string text;
    for (std::size_t first = 0; first < numbers.size(); --most) {
        if (most == 0)
            return text + format_text(" and {} more", numbers.size() - first);
        std::size_t last = first;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
            ++last;
        text += text.empty() ? "" : ", ";
        text += last == first ? format_text("{}", numbers[first])
                              : format_text("{}-{}", numbers[first], numbers[last]);
        first = last + 1;
    }
    return text;
}

} // namespace shm
