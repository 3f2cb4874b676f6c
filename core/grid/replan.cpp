#include "grid/replan.hpp"

#include <algorithm>
#include <limits>

namespace kumi::grid {
namespace {

constexpr double FAR = std::numeric_limits<double>::infinity();

}  // namespace

Replan::Replan(const float* costs, int rows_, int columns_, Cell goal_, bool diagonals)
    : rows(rows_),
      columns(columns_),
      goal(goal_),
      costs_(costs, costs + static_cast<std::size_t>(rows_) * columns_),
      start_(goal_),
      diagonals_(diagonals),
      floor_(1.0) {
    float least = std::numeric_limits<float>::infinity();
    for (const float cost : costs_) least = std::min(least, cost);
    if (std::isfinite(least)) floor_ = least;
}

double Replan::price(Cell from, Cell to) const {
    const bool slants = from.row != to.row && from.column != to.column;
    if (!is_free(from) || !is_free(to)) return FAR;
    if (slants && !(is_free({from.row, to.column}) && is_free({to.row, from.column}))) return FAR;
    return static_cast<double>(costs_[place(to)]) * (slants ? DIAGONAL : 1.0);
}

double Replan::estimate(Cell cell) const {
    const int down = std::abs(start_.row - cell.row), right = std::abs(start_.column - cell.column);
    const int both = diagonals_ ? std::min(down, right) : 0;
    // The cell that is entered counts, and the one at the end of the way back is the robot's own.
    return std::max(0.0, (down + right - 2 * both + both * DIAGONAL) * floor_ * (1.0 - 1e-12));
}

Replan::Key Replan::key(std::size_t at) const {
    const double least = std::min(known_[at], ahead_[at]);
    return {least + estimate(cell(at)) + moved_, least};
}

void Replan::push(std::size_t at) {
    heap_.push_back({key(at), static_cast<std::uint32_t>(at)});
    std::push_heap(heap_.begin(), heap_.end());
}

void Replan::update(Cell at) {
    const std::size_t here = place(at);
    if (!(at == goal)) {
        double least = FAR;
        for (int move = 0; move < (diagonals_ ? 8 : 4); ++move) {
            const Cell to{at.row + MOVES[move].row, at.column + MOVES[move].column};
            if (!has(to) || known_[place(to)] == FAR) continue;
            least = std::min(least, price(at, to) + known_[place(to)]);
        }
        ahead_[here] = least;
    }
    if (known_[here] != ahead_[here]) push(here);
}

void Replan::update_around(Cell at) {
    for (int down = -1; down <= 1; ++down)
        for (int right = -1; right <= 1; ++right)
            if (const Cell near{at.row + down, at.column + right}; has(near)) update(near);
}

void Replan::set_cost(Cell cell, float cost) {
    costs_[place(cell)] = cost;
    if (!begun_) return;
    if (cost < floor_) return restart();  // the estimates would be too large
    update_around(cell);
}

void Replan::restart() {
    for (const float cost : costs_) floor_ = std::min(floor_, static_cast<double>(cost));
    known_.assign(costs_.size(), FAR);
    ahead_.assign(costs_.size(), FAR);
    heap_.clear();
    moved_ = 0.0;
    ahead_[place(goal)] = 0.0;
    push(place(goal));
    begun_ = true;
}

void Replan::settle() {
    const std::size_t start = place(start_);
    while (!heap_.empty() && (heap_.front().key < key(start) || ahead_[start] != known_[start])) {
        clock_.tick();  // before anything is taken out: what a signal cuts short goes on with the next call
        const Entry entry = heap_.front();
        const std::size_t at = entry.place;
        std::pop_heap(heap_.begin(), heap_.end());
        heap_.pop_back();
        if (known_[at] == ahead_[at]) continue;
        if (const Key present = key(at); entry.key < present) {
            push(at);  // the robot has moved on since: the entry was too early
            continue;
        }
        ++expanded;
        const Cell middle = cell(at);
        const bool falls = known_[at] > ahead_[at];
        known_[at] = falls ? ahead_[at] : FAR;
        if (!falls) update(middle);
        for (int move = 0; move < (diagonals_ ? 8 : 4); ++move) {
            const Cell near{middle.row + MOVES[move].row, middle.column + MOVES[move].column};
            if (!is_free(near)) continue;
            if (!falls) {
                update(near);
            } else if (const double total = price(near, middle) + known_[at]; total < ahead_[place(near)]) {
                // Nearer to the goal by way of this cell: nothing else about it is new.
                ahead_[place(near)] = total;
                push(place(near));
            }
        }
    }
}

Cell Replan::next(Cell at) const {
    double least = FAR;
    Cell best = at;
    for (int move = 0; move < (diagonals_ ? 8 : 4); ++move) {
        const Cell to{at.row + MOVES[move].row, at.column + MOVES[move].column};
        if (!has(to) || known_[place(to)] == FAR) continue;
        const double total = price(at, to) + known_[place(to)];
        if (total < least) least = total, best = to;
    }
    return best;
}

bool Replan::path(Cell start, Found& found) {
    expanded = 0;
    if (!is_free(start) || !is_free(goal)) return false;
    const Cell before = start_;
    start_ = start;
    if (!begun_)
        restart();
    else
        moved_ += estimate(before);
    settle();
    if (ahead_[place(start)] == FAR) return false;
    for (Cell at = start;; at = next(at)) {
        found.cells.push_back(at);
        if (at == goal) return true;
    }
}

}  // namespace kumi::grid
