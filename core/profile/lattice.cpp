#include "profile/lattice.hpp"

#include <algorithm>
#include <cmath>

#include "grid/search.hpp"
#include "numbers/elementary.hpp"
#include "profile/spans.hpp"

namespace kumi::lattice {
Lattice::Lattice(std::vector<Node> nodes, std::vector<Cell> cells, Strength strength)
    : nodes_(std::move(nodes)),
      cells_(std::move(cells)),
      strength_(strength),
      comes_(nodes_.size()),
      goes_(nodes_.size()) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        tidy(nodes_[i].closed);
        comes_[i].resize(nodes_[i].squares.size());
        goes_[i].resize(nodes_[i].squares.size());
    }
}

bool Lattice::is_step(std::size_t cell, std::size_t from, std::size_t to, Step& step) const {
    const Cell& c = cells_[cell];
    const auto &here = nodes_[cell].squares, &there = nodes_[cell + 1].squares;
    if (from + 1 == here.size() && to + 1 == there.size()) {
        step = {from, to, c.seconds, true};
        return true;
    }
    const double first = here[from], last = there[to], most = std::max(first, last);
    const double slope = (last - first) / c.length, rate = slope / 2.0;
    if (most <= 0.0 || rate > strength_.rise * (1.0 + 1e-9) || -rate > strength_.fall * (1.0 + 1e-9))
        return false;
    if (strength_.grip < INF && maths::hypot(rate, c.bend * most) > strength_.grip * (1.0 + 1e-9))
        return false;
    if (most > c.least)
        for (const Span& corner : c.corners)
            if (first + slope * corner.from > corner.to * (1.0 + 1e-12)) return false;
    step = {from, to, passed(c.length, first, slope), false};
    return true;
}

// The first speed at the end of a cell that braking all along it leads to.
std::size_t Lattice::lowest(std::size_t cell, std::size_t from) const {
    const auto &here = nodes_[cell].squares, &there = nodes_[cell + 1].squares;
    const double least = here[from] - 2.0 * strength_.fall * cells_[cell].length * (1.0 + 1e-6);
    return std::min<std::size_t>(std::lower_bound(there.begin(), there.end(), least) - there.begin(),
                                 there.size() - 1);
}

// Find when a step must not begin, for all closed pieces of its cell.
void Lattice::close(std::size_t cell, const Step& step) {
    const Cell& c = cells_[cell];
    const double first = nodes_[cell].squares[step.from], last = nodes_[cell + 1].squares[step.to];
    const double slope = (last - first) / c.length;
    shut_.clear();
    for (const Piece& piece : c.pieces) {
        const double comes = step.is_fastest ? piece.comes : passed(piece.low, first, slope);
        const double goes =
            step.is_fastest || piece.goes == INF ? piece.goes : passed(piece.high, first, slope);
        if (piece.closes - comes > 0.0) shut_.push_back({piece.opens - goes, piece.closes - comes});
    }
    tidy(shut_);
}

void Lattice::reach(std::size_t cell) {
    Step step;
    auto& there = comes_[cell + 1];
    const auto& there_squares = nodes_[cell + 1].squares;
    for (std::size_t from = 0; from < nodes_[cell].squares.size(); ++from) {
        if (goes_[cell][from].empty()) continue;
        const double most =
            nodes_[cell].squares[from] + 2.0 * strength_.rise * cells_[cell].length * (1.0 + 1e-6);
        for (std::size_t to = lowest(cell, from); to < there.size(); ++to) {
            if (!is_step(cell, from, to, step)) {
                // What is too fast for one speed is so for all above, but for the step of the fastest drive.
                if (there_squares[to] > most && to + 1 < there.size()) to = there.size() - 2;
                continue;
            }
            close(cell, step);
            for (const Span& span : goes_[cell][from])
                each_open(span, shut_, [&](double begin, double end) {
                    there[to].push_back({begin + step.seconds, end + step.seconds});
                });
        }
    }
    for (Spans& spans : there) {
        tidy(spans);
        thin(spans);
    }
}

// A vehicle at rest may go on at any time until the place is closed.
void Lattice::stand(std::size_t node) {
    const Node& n = nodes_[node];
    for (std::size_t level = 0; level < n.squares.size(); ++level) {
        if (n.squares[level] > 0.0) {
            goes_[node][level] = comes_[node][level];
            continue;
        }
        Spans& ready = goes_[node][level];
        for (const Span& span : comes_[node][level])
            each_rest(span, n.closed, n.rest,
                      [&](double begin, double end) { ready.push_back({begin, end}); });
        tidy(ready);
    }
}

// When a vehicle that leaves a node then came to it: as early as it could.
Stay Lattice::stay(std::size_t node, std::size_t level, double leaves) const {
    const Node& n = nodes_[node];
    if (n.squares[level] > 0.0) return {n.squares[level], leaves, leaves, false};
    return {0.0, came_to_rest(comes_[node][level], n.closed, leaves - n.rest), leaves, false};
}

std::vector<Stay> Lattice::earliest() {
    comes_[0].back() = {{0.0, 0.0}};
    stand(0);
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
        grid::pause();
        reach(cell);
        stand(cell + 1);
    }
    const std::size_t last = nodes_.size() - 1;
    if (comes_[last].back().empty()) return {};
    std::vector<Stay> stays(nodes_.size());
    std::size_t level = nodes_[last].squares.size() - 1;
    double comes = comes_[last].back().front().from;
    stays[last] = {nodes_[last].squares[level], comes, comes, false};
    for (std::size_t node = last; node-- > 0;) {
        Step step;
        bool is_found = false;
        for (std::size_t from = nodes_[node].squares.size(); from-- > 0 && !is_found;) {
            if (!is_step(node, from, level, step)) continue;
            const double leaves = comes - step.seconds;
            const auto holds = [&](const Span& s) {
                return s.from - CLOSE <= leaves && leaves <= s.to + CLOSE;
            };
            if (std::none_of(goes_[node][from].begin(), goes_[node][from].end(), holds)) continue;
            close(node, step);
            const auto shuts = [&](const Span& s) {
                return s.from + CLOSE < leaves && leaves < s.to - CLOSE;
            };
            if (std::any_of(shut_.begin(), shut_.end(), shuts)) continue;
            stays[node] = stay(node, from, leaves);
            stays[node].is_fastest = step.is_fastest;
            comes = stays[node].comes;
            level = from;
            is_found = true;
        }
        if (!is_found) return {};
    }
    return stays;
}

}  // namespace kumi::lattice
