// A step of all robots.
#include "mapf/pibt.hpp"

#include <algorithm>

namespace kumi::mapf {

Pibt::Pibt(const Problem& problem, kumi::Bits& chance, const Guide* guide, const LocalGuide* local)
    : problem_(problem),
      chance_(chance),
      guide_(guide),
      local_(local),
      here_(problem.graph.size(), NOBODY),
      there_(problem.graph.size(), NOBODY) {}

bool Pibt::step(std::span<const Place> now, std::span<const std::int32_t> order, std::span<const Fixed> fixed,
                Places& next) {
    now_ = now;
    next.assign(now.size(), OPEN);
    next_ = next.data();
    for (std::size_t robot = 0; robot < now.size(); ++robot) here_[now[robot]] = static_cast<int>(robot);
    bool is_fine = std::all_of(fixed.begin(), fixed.end(), [&](const Fixed& one) { return take(one); });
    for (std::size_t i = 0; is_fine && i < order.size(); ++i)
        if (next_[order[i]] == OPEN) is_fine = choose(order[i]);
    for (std::size_t robot = 0; robot < now.size(); ++robot) {
        here_[now[robot]] = there_[now[robot]] = NOBODY;
        if (next_[robot] != OPEN) there_[next_[robot]] = NOBODY;
    }
    return is_fine;
}

bool Pibt::take(const Fixed& fixed) {
    const int other = here_[fixed.to];
    if (there_[fixed.to] != NOBODY) return false;
    if (other != NOBODY && other != fixed.robot && next_[other] == now_[fixed.robot]) return false;
    next_[fixed.robot] = fixed.to;
    there_[fixed.to] = fixed.robot;
    return true;
}

// Lets a robot choose, and those in its way before it is done: with a stack of its own, since thousands may stand in
// a row. False when it can only stay.
bool Pibt::choose(int robot) {
    asked_.clear();
    asked_.push_back(choices_of(robot));
    while (true) {
        Choice& choice = asked_.back();
        const bool is_tried = try_on(choice);
        if (is_tried) {
            const int other = here_[choice.to[choice.tried]];
            if (other != NOBODY && other != choice.robot && next_[other] == OPEN) {
                asked_.push_back(choices_of(other));
                continue;
            }
            settle(choice);
        } else {
            next_[choice.robot] = now_[choice.robot];
            there_[now_[choice.robot]] = choice.robot;
        }
        bool is_fine = is_tried;
        asked_.pop_back();
        while (is_fine && !asked_.empty()) {
            settle(asked_.back());
            asked_.pop_back();
        }
        if (asked_.empty()) return is_fine;
        ++asked_.back().tried;
    }
}

// Takes the first place from `tried` on that is free to take.
bool Pibt::try_on(Choice& choice) {
    for (; choice.tried < choice.count; ++choice.tried) {
        const Place to = choice.to[choice.tried];
        const int other = here_[to];
        if (there_[to] != NOBODY) continue;
        if (other != NOBODY && next_[other] == now_[choice.robot]) continue;
        there_[to] = choice.robot;
        next_[choice.robot] = to;
        return true;
    }
    return false;
}

// Draws the other one behind, where that was the reason of the first choice.
void Pibt::settle(const Choice& choice) {
    const Place left = now_[choice.robot];
    if (choice.tried != 0 || choice.drawn == NOBODY) return;
    if (next_[choice.drawn] != OPEN || there_[left] != NOBODY) return;
    next_[choice.drawn] = left;
    there_[left] = choice.drawn;
}

Pibt::Choice Pibt::choices_of(int robot) {
    const Place at = now_[robot];
    const auto near = problem_.graph.near(at);
    Choice choice{robot, static_cast<int>(near.size()) + 1, 0, NOBODY, {}};
    std::array<std::uint64_t, 5> keys;
    std::uint64_t ties = chance_.bits();
    for (int i = 0; i < choice.count; ++i) {
        const Place to = i + 1 < choice.count ? near[i] : at;
        const bool is_planned = local_ && local_->next(robot) == to;
        const std::uint64_t key =
            is_planned ? 0 : static_cast<std::uint64_t>(away(robot, to) + 1) << 12 | (ties & 4095);
        ties >>= 12;
        int place = i;
        for (; place > 0 && keys[place - 1] > key; --place) {
            keys[place] = keys[place - 1];
            choice.to[place] = choice.to[place - 1];
        }
        keys[place] = key;
        choice.to[place] = to;
    }
    choice.drawn = to_draw(choice);
    if (choice.drawn != NOBODY) std::reverse(choice.to.begin(), choice.to.begin() + choice.count);
    return choice;
}

// Whom a robot must draw out of a corridor by going the wrong way itself.
int Pibt::to_draw(const Choice& choice) const {
    const Place at = now_[choice.robot], wanted = choice.to[0];
    if (wanted == at) return NOBODY;
    const int ahead = here_[wanted];
    if (ahead != NOBODY && next_[ahead] == OPEN && is_draw_needed(choice.robot, ahead, at, wanted) &&
        is_draw_possible(wanted, at))
        return ahead;
    for (const Place near : problem_.graph.near(at)) {
        const int beside = here_[near];
        if (beside == NOBODY || near == wanted) continue;
        if (is_draw_needed(beside, choice.robot, at, wanted) && is_draw_possible(wanted, at)) return beside;
    }
    return NOBODY;
}

// How many ways lead on for one who comes from `from` to `to`, dead ends with a robot at home left out.
int Pibt::ways_on(Place from, Place to, Place& on) const {
    int ways = 0;
    for (const Place near : problem_.graph.near(to)) {
        const int robot = here_[near];
        const bool is_at_home = robot != NOBODY && problem_.goals[robot] == near;
        if (near == from || (is_at_home && problem_.graph.near(near).size() == 1)) continue;
        ++ways;
        on = near;
    }
    return ways;
}

bool Pibt::is_draw_needed(int pusher, int puller, Place pusher_at, Place puller_at) const {
    while (problem_.distances(pusher, puller_at) < problem_.distances(pusher, pusher_at)) {
        Place on = puller_at;
        const int ways = ways_on(pusher_at, puller_at, on);
        if (ways >= 2) return false;
        if (ways == 0) break;
        pusher_at = puller_at;
        puller_at = on;
    }
    return problem_.distances(puller, pusher_at) < problem_.distances(puller, puller_at) &&
           (problem_.distances(pusher, pusher_at) == 0 ||
            problem_.distances(pusher, puller_at) < problem_.distances(pusher, pusher_at));
}

bool Pibt::is_draw_possible(Place pusher_at, Place puller_at) const {
    const Place first = pusher_at;
    while (puller_at != first) {
        Place on = puller_at;
        const int ways = ways_on(pusher_at, puller_at, on);
        if (ways >= 2) return true;
        if (ways == 0) return false;
        pusher_at = puller_at;
        puller_at = on;
    }
    return false;
}

}  // namespace kumi::mapf
