#include "profile/short_tops.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kumi {
namespace {

constexpr int HALVINGS = 60;

// One flank of a top, from its foot to its top: heights never fall.
struct Flank {
    std::vector<double> s, z;
    std::size_t below(double level) const { return std::lower_bound(z.begin(), z.end(), level) - z.begin(); }
    double crossed(double level) const {
        const std::size_t i = below(level);
        if (i == 0) return s[0];
        return s[i - 1] + (level - z[i - 1]) / (z[i] - z[i - 1]) * (s[i] - s[i - 1]);
    }
    void add(double place, double height) {
        s.push_back(place);
        z.push_back(height);
    }
};

}  // namespace

Chain without_short_tops(const Chain& chain, double window) {
    const auto &s = chain.s, &z = chain.z;
    const std::size_t count = z.size();
    Chain kept;
    const auto keep = [&](double place, double height) {
        kept.s.push_back(place);
        kept.z.push_back(height);
    };
    if (count) keep(s[0], z[0]);
    std::size_t i = 1;
    while (i < count) {
        std::size_t last = i;
        while (last + 1 < count && z[last + 1] == z[i]) ++last;
        const bool is_top = kept.z.back() < z[i] && last + 1 < count && z[last + 1] < z[i];
        if (!is_top || s[last] - s[i] >= window * std::sqrt(z[i])) {
            for (; i <= last; ++i) keep(s[i], z[i]);
            continue;
        }
        std::size_t left = kept.z.size() - 1, right = last;
        while (left > 0 && kept.z[left - 1] <= kept.z[left]) --left;
        while (right + 1 < count && z[right + 1] <= z[right]) ++right;
        Flank up, down;
        for (std::size_t j = left; j < kept.z.size(); ++j) up.add(kept.s[j], kept.z[j]);
        up.add(s[i], z[i]);
        for (std::size_t j = right + 1; j-- > last;) down.add(s[j], z[j]);
        double low = std::max(up.z[0], down.z[0]), high = z[i];
        for (int halving = 0; halving < HALVINGS; ++halving) {
            const double level = (low + high) / 2;
            const bool is_short = down.crossed(level) - up.crossed(level) < window * std::sqrt(level);
            (is_short ? high : low) = level;
        }
        kept.s.resize(left + up.below(low));
        kept.z.resize(kept.s.size());
        keep(up.crossed(low), low);
        keep(down.crossed(low), low);
        i = right + 1 - down.below(low);
    }
    return kept;
}

}  // namespace kumi
