// Rounds of refinement.
#include "mapf/refine.hpp"

#include <algorithm>
#include <utility>

namespace kumi::mapf {

namespace {

constexpr double LEARNING = 0.02, LEAST = 0.03;
constexpr int WALKS = 8;
constexpr std::size_t OVERHEAD = 10;  // work of a round beside its searches, for each robot
constexpr Steps MEETING = 2;  // of meeting somebody, for the first robot of a chain; it grows along the chain

}  // namespace

// None dies out: what gains nothing now may gain later. All get their share of the work, not of the rounds.
std::size_t Refine::drawn_arm() {
    constexpr double SOME = 1e-9;
    double most = 0.0, sum = 0.0;
    for (const Arm& arm : arms_) most = std::max(most, arm.rate());
    const auto share = [&](const Arm& arm) { return (arm.rate() + LEAST * most + SOME) / arm.work; };
    for (const Arm& arm : arms_) sum += share(arm);
    double left = chance_.unit() * sum;
    for (std::size_t i = 0; i + 1 < arms_.size(); ++i)
        if ((left -= share(arms_[i])) < 0.0) return i;
    return arms_.size() - 1;
}

Refine::Refine(const Problem& problem, kumi::Bits& chance, Plan plan)
    : problem_(problem),
      chance_(chance),
      visits_(problem),
      horizon_(2 * longest_way(problem) + ROOM),
      sipp_(problem, visits_),
      soft_(problem, visits_),
      flood_(problem),
      is_chosen_(problem.starts.size()),
      prices_(problem.starts.size()),
      seen_(problem.graph.size()) {
    problem.memory.take((sizeof(Visit) + 2 * sizeof(Place)) * static_cast<std::size_t>(sum_of_costs(plan)));
    ways_.resize(plan.size());
    adopt(std::move(plan));
}

void Refine::adopt(Plan plan) {
    kept_.clear();
    plan_ = std::move(plan);
    cost_ = sum_of_costs(plan_);
    std::size_t longest = 0;
    for (const Places& way : plan_) longest = std::max(longest, way.size());
    floods_ = flood_.begin(static_cast<Steps>(longest) + ROOM);
    visits_.begin(floods_ ? flood_.horizon() : horizon_, !floods_);
    for (int robot = 0; robot < problem_.robots(); ++robot) {
        visits_.add(robot, plan_[robot]);
        if (floods_) flood_.add(plan_[robot]);
    }
}

void Refine::try_out(Plan plan, std::size_t work) {
    Plan best = this->plan();
    const std::int64_t cost = this->cost();
    adopt(std::move(plan));
    if (cost_ <= cost) return;
    kept_ = std::move(best);
    kept_cost_ = cost;
    trial_ends_ = this->work() + work;
}

void Refine::end_trial() {
    if (cost_ < kept_cost_)
        kept_.clear();
    else if (work() > trial_ends_)
        adopt(Plan(kept_));
}

bool Refine::round() {
    const std::size_t drawn = drawn_arm(), kind = std::min<std::size_t>(drawn / SIZES.size(), chained);
    const std::size_t sized = drawn - kind * SIZES.size(), work = this->work();
    const std::int64_t best = cost();
    const std::size_t size = kind == chained ? CHAINS[sized] : std::min(SIZES[sized], plan_.size());
    const std::int64_t gain = changed(static_cast<Kind>(kind), size);
    Arm& arm = arms_[drawn];
    // The first rounds count as their mean: a kind that takes much work for nothing is not tried fifty times to learn so.
    const double learning = std::max(LEARNING, 1.0 / ++arm.rounds);
    arm.gain += learning * (static_cast<double>(gain) - arm.gain);
    arm.work += learning * (static_cast<double>(this->work() - work + OVERHEAD * size) - arm.work);
    if (is_trying()) end_trial();
    return cost() < best;
}

// Tries other ways for some robots, and returns what that gains.
std::int64_t Refine::changed(Kind kind, std::size_t size) {
    chosen_.clear();
    if (kind == delayed) choose_delayed(size);
    if (kind == meeting) choose_meeting(size);
    if (kind != chained) choose_any(size);
    const std::int64_t before = cost_;
    if (kind == chained ? chain(size) : replan()) {
        if (floods_) follow(kind == chained);
        for (const int robot : chosen_) {
            cost_ += static_cast<std::int64_t>(ways_[robot].size()) - 1 - cost_of(robot);
            plan_[robot] = std::move(ways_[robot]);
        }
    }
    for (const int robot : chosen_) is_chosen_[robot] = false;
    return before - cost_;
}

// Finds new ways for those chosen, into `ways_`; leaves the visits of the old ones where that fails.
bool Refine::replan() {
    for (std::size_t i = chosen_.size(); i > 1; --i) std::swap(chosen_[i - 1], chosen_[chance_.below(i)]);
    std::int64_t left = 0;  // what may be spent beyond the shortest ways
    for (const int robot : chosen_) {
        remove(plan_[robot]);
        left += cost_of(robot) - least_of(robot);
    }
    for (std::size_t done = 0; done < chosen_.size(); ++done) {
        const int robot = chosen_[done];
        const auto most = static_cast<Steps>(least_of(robot) + left);
        ways_[robot] = fastest(robot, most);
        if (ways_[robot].empty()) {
            put_back(done);
            return false;
        }
        left -= static_cast<std::int64_t>(ways_[robot].size()) - 1 - least_of(robot);
        add(robot, ways_[robot]);
    }
    return true;
}

Places Refine::fastest(int robot, Steps most) {
    const std::uint64_t chance = chance_.bits();
    if (floods_) return flood_.way(robot, most, chance);
    return sipp_.way(robot, most, static_cast<unsigned>(chance & 3), chance & 4);
}

// Of a way that is only tried all but the searches for the fastest way know nothing where these are floods.
void Refine::add(int robot, const Places& way) {
    if (floods_)
        flood_.add(way);
    else
        visits_.add(robot, way);
}

void Refine::remove(const Places& way) {
    if (floods_)
        flood_.remove(way);
    else
        visits_.remove(way);
}

// The new ways are taken: what did not know of them learns them.
void Refine::follow(bool is_chain) {
    for (const int robot : chosen_) is_chain ? flood_.remove(plan_[robot]) : visits_.remove(plan_[robot]);
    for (const int robot : chosen_) is_chain ? flood_.add(ways_[robot]) : visits_.add(robot, ways_[robot]);
}

void Refine::put_back(std::size_t done) {
    for (std::size_t i = 0; i < done; ++i) remove(ways_[chosen_[i]]);
    for (const int robot : chosen_) add(robot, plan_[robot]);
}

// Finds the way that a delayed robot likes best, ways for those whom it meets there, for those whom they meet, and so on,
// into `ways_`. Who has a new way is not met again.
bool Refine::chain(std::size_t most) {
    const auto take_out = [&](int robot) {
        take(robot);
        visits_.remove(plan_[robot]);
        return cost_of(robot) - least_of(robot);
    };
    std::int64_t left = take_out(some_delayed());
    std::size_t done = 0;
    for (; done < chosen_.size() && chosen_.size() <= most && left >= 0; ++done) {
        const int robot = chosen_[done];
        for (Steps& price : prices_) price = std::max(price, MEETING * static_cast<Steps>(done + 1));
        const auto latest = static_cast<Steps>(
            std::min<std::int64_t>(least_of(robot) + left - (done == 0), latest_of(robot)));
        ways_[robot] = soft_.way(robot, latest, prices_, static_cast<unsigned>(chance_.bits() & 3));
        if (ways_[robot].empty()) break;
        left -= static_cast<std::int64_t>(ways_[robot].size()) - 1 - least_of(robot);
        for (const int other : soft_.met()) left += take_out(other);
        visits_.add(robot, ways_[robot]);
        prices_[robot] = FOREVER;
    }
    std::ranges::fill(prices_, 0);
    if (done == chosen_.size() && left >= 0) return true;
    for (std::size_t i = 0; i < done; ++i) visits_.remove(ways_[chosen_[i]]);
    for (const int robot : chosen_) visits_.add(robot, plan_[robot]);
    return false;
}

bool Refine::take(int robot) {
    if (is_chosen_[robot]) return false;
    is_chosen_[robot] = true;
    chosen_.push_back(robot);
    return true;
}

int Refine::some_delayed() {
    std::int64_t delays = 0;
    for (int robot = 0; robot < problem_.robots(); ++robot) delays += cost_of(robot) - least_of(robot);
    auto left = static_cast<std::int64_t>(
        chance_.below(static_cast<std::uint64_t>(std::max<std::int64_t>(delays, 1))));
    for (int robot = 0; robot < problem_.robots(); ++robot)
        if ((left -= cost_of(robot) - least_of(robot)) < 0) return robot;
    return 0;
}

// A delayed robot, and those whom it meets where it would leave its way for a faster one.
void Refine::choose_delayed(std::size_t size) {
    const int robot = some_delayed();
    take(robot);
    for (int i = 0; i < WALKS && chosen_.size() < size; ++i) walk(robot, size);
}

void Refine::walk(int robot, std::size_t size) {
    const Places& way = plan_[robot];
    auto time = static_cast<Steps>(chance_.below(way.size()));
    Place at = way[time];
    while (chosen_.size() < size) {
        const auto near = problem_.graph.near(at);
        const std::size_t ways = near.size() + 1, first = chance_.below(ways);
        Place to = -1;
        for (std::size_t i = 0; i < ways && to < 0; ++i) {
            const std::size_t which = (first + i) % ways;
            const Place next = which < near.size() ? near[which] : at;
            if (time + 1 + problem_.distances(robot, next) < cost_of(robot)) to = next;
        }
        if (to < 0) return;
        for (const int other : {visits_.who(to, time + 1), visits_.who(to, time)}) {
            const bool is_in_the_way =
                other >= 0 && (visits_.who(to, time + 1) == other || visits_.who(at, time + 1) == other);
            if (is_in_the_way && chosen_.size() < size) take(other);
        }
        at = to;
        ++time;
    }
}

// Those who pass a place with at least three ways, from some instant on, and then the places around it.
void Refine::choose_meeting(std::size_t size) {
    const Places& way = plan_[chance_.below(plan_.size())];
    const auto from = static_cast<Steps>(chance_.below(way.size()));
    Place middle = way[chance_.below(way.size())];
    for (int i = 0; i < WALKS && problem_.graph.near(middle).size() < 3; ++i)
        middle = way[chance_.below(way.size())];
    ++walks_;
    seen_[middle] = walks_;
    around_.assign(1, middle);
    for (std::size_t i = 0; i < around_.size() && chosen_.size() < size; ++i) {
        const auto taken = [&](int robot) {
            take(robot);
            return chosen_.size() < size;
        };
        visits_.each_from(around_[i], from, taken);
        if (chosen_.size() < size) visits_.each_from(around_[i], 0, taken);
        for (const Place near : problem_.graph.near(around_[i])) {
            if (seen_[near] == walks_) continue;
            seen_[near] = walks_;
            around_.push_back(near);
        }
    }
}

void Refine::choose_any(std::size_t size) {
    while (chosen_.size() < size) take(static_cast<int>(chance_.below(plan_.size())));
}

}  // namespace kumi::mapf
