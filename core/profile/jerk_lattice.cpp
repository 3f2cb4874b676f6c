#include "profile/jerk_lattice.hpp"

#include <algorithm>
#include <cmath>

#include "grid/search.hpp"
#include "profile/spans.hpp"

namespace kumi::lattice {

JerkLattice::JerkLattice(std::vector<Node> nodes, std::vector<Cell> cells, Strength strength, double window)
    : nodes_(std::move(nodes)),
      cells_(std::move(cells)),
      strength_(strength),
      window_(window),
      comes_(nodes_.size()),
      goes_(nodes_.size()) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        tidy(nodes_[i].closed);
        for (auto& levels : comes_[i]) levels.resize(nodes_[i].squares.size());
    }
}

bool JerkLattice::is_step(std::size_t cell, double first, double last, Phase phase, Step& step) const {
    const Cell& c = cells_[cell];
    const double slope = (last - first) / c.length, rate = slope / 2.0;
    if (std::max(first, last) <= 0.0 || (phase == up ? last < first : last > first)) return false;
    if (rate > strength_.rise * (1.0 + 1e-9) || -rate > strength_.fall * (1.0 + 1e-9)) return false;
    if (std::max(first, last) > c.least)
        for (const Span& corner : c.corners)
            if (first + slope * corner.from > corner.to * (1.0 + 1e-12)) return false;
    step = {cell, 1, first, last, passed(c.length, first, slope)};
    return true;
}

// The even part after which a drive may change its phase: as many cells as are passed in a window.
bool JerkLattice::is_flip(const Mark& from, Step& step, std::size_t& level) const {
    const double square = nodes_[from.node].squares[from.level], speed = std::sqrt(square);
    if (square <= 0.0) return false;
    double way = 0.0;
    std::size_t node = from.node;
    for (; way < speed * window_ * (1.0 - 1e-9); ++node) {
        Step one;
        if (node == cells_.size() || !is_step(node, square, square, up, one)) return false;
        way += cells_[node].length;
    }
    const auto& squares = nodes_[node].squares;
    level = std::lower_bound(squares.begin(), squares.end(), square * (1.0 - 1e-12)) - squares.begin();
    if (level == squares.size() || squares[level] > square * (1.0 + 1e-12)) return false;
    step = {from.node, node - from.node, square, square, way / speed};
    return true;
}

// Find when a step must not begin, for all closed pieces of its cells.
void JerkLattice::shut(const Step& step) {
    shut_.clear();
    double before = 0.0;  // seconds from the start of the step to the cell
    for (std::size_t cell = step.from; cell < step.from + step.cells; ++cell) {
        const Cell& c = cells_[cell];
        const double slope = step.cells == 1 ? (step.last - step.first) / c.length : 0.0;
        for (const Piece& piece : c.pieces) {
            const double comes = before + passed(piece.low, step.first, slope);
            const double goes = piece.goes == INF ? INF : before + passed(piece.high, step.first, slope);
            if (piece.closes - comes > 0.0) shut_.push_back({piece.opens - goes, piece.closes - comes});
        }
        before += passed(c.length, step.first, slope);
    }
    tidy(shut_);
}

void JerkLattice::carry(const Spans& spans, const Step& step, Spans& there) {
    shut(step);
    for (const Span& span : spans)
        each_open(span, shut_,
                  [&](double from, double to) { there.push_back({from + step.seconds, to + step.seconds}); });
}

const Spans& JerkLattice::ready(std::size_t node, std::size_t level, Phase phase) const {
    static const Spans NEVER;
    if (nodes_[node].squares[level] > 0.0) return comes_[node][phase][level];
    return phase == up ? goes_[node] : NEVER;
}

void JerkLattice::leave(std::size_t node) {
    for (const Phase phase : {up, down}) {
        for (std::size_t level = 0; level < nodes_[node].squares.size(); ++level) {
            const Spans& spans = ready(node, level, phase);
            if (spans.empty()) continue;
            Step step;
            std::size_t to = 0;
            if (is_flip({node, level, phase}, step, to))
                carry(spans, step, comes_[node + step.cells][phase == up ? down : up][to]);
            if (node == cells_.size()) continue;
            const auto& there = nodes_[node + 1].squares;
            const double square = nodes_[node].squares[level], way = 2.0 * cells_[node].length * (1.0 + 1e-6);
            const double least = phase == up ? square : square - strength_.fall * way,
                         most = phase == down ? square : square + strength_.rise * way;
            for (to = std::lower_bound(there.begin(), there.end(), least) - there.begin();
                 to < there.size() && there[to] <= most; ++to)
                if (is_step(node, square, there[to], phase, step))
                    carry(spans, step, comes_[node + 1][phase][to]);
        }
    }
}

// Who comes to rest stands for a window, and as long as it is asked to, and then goes on until the place is closed.
void JerkLattice::stand(std::size_t node) {
    const Node& n = nodes_[node];
    for (auto& levels : comes_[node])
        for (Spans& spans : levels) {
            tidy(spans);
            thin(spans);
        }
    if (n.squares[0] > 0.0) return;
    const double rest = node == 0 ? n.rest : n.rest + window_;
    for (const Span& span : comes_[node][down][0])
        each_rest(span, n.closed, rest, [&](double from, double to) { goes_[node].push_back({from, to}); });
    tidy(goes_[node]);
}

std::vector<Stay> JerkLattice::earliest() {
    if (nodes_[0].squares[0] > 0.0 || nodes_.back().squares[0] > 0.0) return {};
    comes_[0][down][0] = {{0.0, 0.0}};
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        grid::pause();
        stand(node);
        leave(node);
    }
    return comes_.back()[down][0].empty() ? std::vector<Stay>{} : traced();
}

bool JerkLattice::is_open(const Spans& spans, const Step& step, double leaves) {
    const auto holds = [&](const Span& s) { return s.from - CLOSE <= leaves && leaves <= s.to + CLOSE; };
    if (std::none_of(spans.begin(), spans.end(), holds)) return false;
    shut(step);
    const auto shuts = [&](const Span& s) { return s.from + CLOSE < leaves && leaves < s.to - CLOSE; };
    return std::none_of(shut_.begin(), shut_.end(), shuts);
}

// The last step of a drive that comes to a node, with a speed and in a phase, at an instant.
bool JerkLattice::came_from(const Mark& to, double comes, Mark& from, Step& step) {
    const double square = nodes_[to.node].squares[to.level];
    const auto& before = nodes_[to.node - 1].squares;
    for (std::size_t level = before.size(); level-- > 0;) {
        from = {to.node - 1, level, to.phase};
        if (is_step(from.node, before[level], square, to.phase, step) &&
            is_open(ready(from.node, level, to.phase), step, comes - step.seconds))
            return true;
    }
    for (std::size_t node = to.node; node-- > 0;) {
        const auto& squares = nodes_[node].squares;
        const auto level = static_cast<std::size_t>(
            std::lower_bound(squares.begin(), squares.end(), square * (1.0 - 1e-12)) - squares.begin());
        std::size_t reached = 0;
        if (level == squares.size() || squares[level] > square * (1.0 + 1e-12)) return false;
        from = {node, level, to.phase == up ? down : up};
        if (!is_flip(from, step, reached)) continue;
        if (node + step.cells < to.node) return false;
        if (node + step.cells == to.node &&
            is_open(ready(node, level, from.phase), step, comes - step.seconds))
            return true;
    }
    return false;
}

std::vector<Stay> JerkLattice::traced() {
    std::vector<Stay> stays(nodes_.size());
    Mark to{nodes_.size() - 1, 0, down};
    double comes = comes_.back()[down][0].front().from;
    stays.back() = {0.0, comes, comes, false};
    while (to.node > 0) {
        Mark from;
        Step step;
        if (!came_from(to, comes, from, step)) return {};
        double leaves = comes - step.seconds;
        for (std::size_t i = 1; i < step.cells; ++i)
            stays[from.node + i] = {step.first, leaves, leaves, false};
        const double square = nodes_[from.node].squares[from.level];
        comes = leaves;
        if (square <= 0.0) {
            const Node& n = nodes_[from.node];
            comes = came_to_rest(comes_[from.node][down][0], n.closed,
                                 leaves - (from.node == 0 ? n.rest : n.rest + window_));
            from.phase = down;
        }
        stays[from.node] = {square, comes, leaves, false};
        to = from;
    }
    return stays;
}

}  // namespace kumi::lattice
