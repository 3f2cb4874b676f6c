#include "avoidance/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kumi::avoidance {

namespace {

constexpr std::size_t FEW = 24;
constexpr double MOST_CELLS = 64.0;  // in which a wall is filed, on average

}  // namespace

Neighbourhood::Neighbourhood(const Vec* places, const double* radii, std::size_t count, double reach)
    : places_(places), radii_(radii), count_(count), reach_(reach) {
    if (count == 0) return;
    largest_ = *std::max_element(radii, radii + count);
    Vec least = places[0], most = places[0];
    for (std::size_t i = 1; i < count; ++i) {
        least = {std::min(least.x, places[i].x), std::min(least.y, places[i].y)};
        most = {std::max(most.x, places[i].x), std::max(most.y, places[i].y)};
    }
    const double width = most.x - least.x, height = most.y - least.y, far = reach + largest_;
    if (count <= FEW || !(far < std::max(width, height))) return;
    // At most about as many cells as discs: who is alone far away widens them.
    side_ = std::max({far, std::sqrt(width) * std::sqrt(height) / std::sqrt(static_cast<double>(count)),
                      std::max(width, height) / static_cast<double>(count)});
    if (!(side_ > 0.0)) return;  // all in one place, to the last bit
    corner_ = least;
    columns_ = static_cast<long>(width / side_) + 1;
    rows_ = static_cast<long>(height / side_) + 1;
    starts_.assign(static_cast<std::size_t>(columns_ * rows_) + 1, 0);
    std::vector<std::size_t> cells(count);
    for (std::size_t i = 0; i < count; ++i) {
        cells[i] = static_cast<std::size_t>(row(places[i].y) * columns_ + column(places[i].x));
        ++starts_[cells[i] + 1];
    }
    for (std::size_t c = 1; c < starts_.size(); ++c) starts_[c] += starts_[c - 1];
    order_.resize(count);
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    for (std::size_t i = 0; i < count; ++i) order_[next[cells[i]]++] = i;
}

long Neighbourhood::column(double x) const {
    return static_cast<long>(
        std::clamp(std::floor((x - corner_.x) / side_), 0.0, static_cast<double>(columns_ - 1)));
}
long Neighbourhood::row(double y) const {
    return static_cast<long>(
        std::clamp(std::floor((y - corner_.y) / side_), 0.0, static_cast<double>(rows_ - 1)));
}

void Neighbourhood::look(Vec at, std::size_t number, std::size_t without, std::size_t most,
                         std::vector<Near>& found) const {
    if (number == without) return;
    const Near one{square(places_[number] - at), number};
    const double far = reach_ + radii_[number];
    if (!(one.square <= far * far)) return;
    if (found.size() == most) {
        if (most == 0 || !(one < found.back())) return;
        found.pop_back();
    }
    found.insert(std::upper_bound(found.begin(), found.end(), one), one);
}

void Neighbourhood::find(Vec at, std::size_t without, std::size_t most, std::vector<Near>& found) const {
    found.clear();
    if (order_.empty()) {
        for (std::size_t i = 0; i < count_; ++i) look(at, i, without, most, found);
        return;
    }
    const double far = reach_ + largest_;
    const long left = column(at.x - far), right = column(at.x + far);
    for (long r = row(at.y - far), top = row(at.y + far); r <= top; ++r) {
        const std::size_t first = starts_[static_cast<std::size_t>(r * columns_ + left)],
                          last = starts_[static_cast<std::size_t>(r * columns_ + right) + 1];
        for (std::size_t k = first; k < last; ++k) look(at, order_[k], without, most, found);
    }
}

Walls::Walls(const std::vector<Wall>& walls, double reach) : walls_(walls) {
    if (walls.size() <= FEW || !(reach < std::numeric_limits<double>::infinity())) return;
    constexpr double FAR = std::numeric_limits<double>::infinity();
    Vec least{FAR, FAR}, most{-FAR, -FAR};
    const auto low = [&](const Wall& wall) {
        const double far = reach + wall.radius;
        return Vec{std::min(wall.start.x, wall.end.x) - far, std::min(wall.start.y, wall.end.y) - far};
    };
    const auto high = [&](const Wall& wall) {
        const double far = reach + wall.radius;
        return Vec{std::max(wall.start.x, wall.end.x) + far, std::max(wall.start.y, wall.end.y) + far};
    };
    for (const Wall& wall : walls) {
        const Vec bottom = low(wall), top = high(wall);
        least = {std::min(least.x, bottom.x), std::min(least.y, bottom.y)};
        most = {std::max(most.x, top.x), std::max(most.y, top.y)};
    }
    const double width = most.x - least.x, height = most.y - least.y;
    const double count = static_cast<double>(walls.size());
    corner_ = least;
    side_ = std::max(
        {reach, std::sqrt(width) * std::sqrt(height) / std::sqrt(count), std::max(width, height) / count});
    if (!(side_ > 0.0)) return;
    // Cells become wider while long walls would be in too many of them.
    for (;; side_ *= 2.0) {
        double cells = 0.0;
        for (const Wall& wall : walls) {
            const Vec size = (high(wall) - low(wall)) / side_;
            cells += (size.x + 1.0) * (size.y + 1.0);
        }
        if (cells <= MOST_CELLS * count) break;
    }
    columns_ = std::floor(width / side_) + 1.0;
    rows_ = std::floor(height / side_) + 1.0;
    lists_.resize(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_));
    for (std::size_t number = 0; number < walls.size(); ++number) {
        const Vec from = (low(walls[number]) - least) / side_, to = (high(walls[number]) - least) / side_;
        for (double r = std::floor(from.y); r <= to.y && r < rows_; r += 1.0)
            for (double c = std::floor(from.x); c <= to.x && c < columns_; c += 1.0)
                lists_[static_cast<std::size_t>(r * columns_ + c)].push_back(number);
    }
}

}  // namespace kumi::avoidance
