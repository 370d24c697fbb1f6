// SPDX-License-Identifier: Apache-2.0
#include "core/share_domain.hpp"

#include <algorithm>

#include "base/words.hpp"

namespace shm {

Result<ShareDomain> ShareDomain::of(std::span<const int> pes, int my_pe, int n_pes,
                                    std::string_view argument) {
    std::vector<int> sorted(pes.begin(), pes.end());
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (sorted[i] < 0 || sorted[i] >= n_pes)
            return fail("{} names PE {}, which is out of range: this job has PEs 0 to {}", argument,
                        sorted[i], n_pes - 1);
        if (i > 0 && sorted[i] == sorted[i - 1])
            return fail("{} names PE {} twice: name each PE of the share domain once", argument, sorted[i]);
    }
    ShareDomain domain(std::move(sorted));
    if (!domain.contains(my_pe))
        return fail("{} = {} does not name the calling PE {}: only the PEs of a share domain make the call",
                    argument, domain.text(), my_pe);
    return domain;
}

bool ShareDomain::contains(int pe) const {
    return std::binary_search(pes_.begin(), pes_.end(), pe);
}

std::uint64_t ShareDomain::hash() const {
    std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a over the numbers
    for (int pe : pes_)
        hash = (hash ^ static_cast<std::uint32_t>(pe)) * 0x100000001b3;
    return hash | 1;
}

std::string ShareDomain::text() const {
    return format_text("{{{}}}", number_list(pes_));
}

} // namespace shm
