// Turns of the searches.
#include "mapf/search.hpp"

#include <utility>

namespace kumi::mapf {

namespace {

constexpr double FEW = 8.0;  // robots with which LaCAM* gets half of the work
// Each time that LaCAM starts again: how many steps robots plan ahead, and how many times as many configurations as for
// the first solution it may take. Refinement does a part of the work before, and a run beyond the first with a window
// is only made if it takes little.
struct Again {
    Steps window;
    std::size_t most_times;
};
constexpr std::array<Again, 3> RUNS{{{0, 4}, {6, 2}, {40, 2}}};
constexpr std::size_t BEFORE = 32, LITTLE = 64 << 20;
// A first solution is not to be hoped for after so many times as many configurations as the longest way has steps; then
// robots plan so many steps ahead.
constexpr std::size_t STUCK = 8;
constexpr std::array<Steps, 3> TRIED{15, 25, 10};
constexpr std::size_t EJECTING = 4;  // times as much work as refinement, while that goes on
constexpr std::size_t TRIAL =
    2;  // times as much work as a plan took is given to its refinement to be the best

Places places_of(const Graph& graph, const std::vector<std::size_t>& cells) {
    Places places;
    for (const std::size_t cell : cells) places.push_back(graph.place(cell));
    return places;
}

}  // namespace

Search::Search(const std::uint8_t* blocked, int rows, int columns, const std::vector<std::size_t>& starts,
               const std::vector<std::size_t>& goals, kumi::Bits chance, std::size_t memory)
    : memory_{memory},
      graph_(blocked, rows, columns),
      starts_(places_of(graph_, starts)),
      goals_(places_of(graph_, goals)),
      distances_(graph_, goals_, memory_),
      problem_{graph_, starts_, goals_, distances_, memory_},
      chance_(chance) {}

Search::State Search::advance(Instant until, std::int64_t rounds) {
    const State before = state_;
    try {
        while (state_ == before && (state_ == State::searching || state_ == State::solved)) {
            if (state_ == State::solved && rounds_ >= rounds) break;
            grid::pause();
            turn();
            if (std::chrono::steady_clock::now() >= until) break;
        }
    } catch (const Memory::Full&) {
        state_ = State::full;
    }
    return state_;
}

void Search::turn() {
    if (measured_ < problem_.robots())
        measure();
    else if (!refine_)
        seek();
    else if (guide_ && (guided_ || refine_->work() >= due_))
        start_again();
    else
        improve();
}

void Search::measure() {
    const Steps least = distances_(measured_, starts_[measured_]);
    bound_ += least;
    ++measured_;
    if (least == FOREVER) state_ = State::unsolvable;
}

void Search::seek() {
    if (!lacam_) {
        lacam_.emplace(problem_, chance_);
        most_configurations_ = next_look_ = STUCK * static_cast<std::size_t>(longest_way(problem_) + ROOM);
    }
    if (lacam_->configurations() >= next_look_) return look_ahead();
    const Lacam::End end = lacam_->step();
    if (end == Lacam::End::none_left) state_ = State::unsolvable;
    if (end == Lacam::End::better) begin(lacam_->plan(), lacam_->configurations());
}

// Where the search for a first solution is stuck, another one with a window gets as many configurations, and so on in
// turns.
void Search::look_ahead() {
    std::optional<Plan> plan;
    try {
        if (!guided_) {
            used_before_ = memory_.used;
            guided_.emplace(problem_, chance_, nullptr, TRIED[runs_++ % TRIED.size()]);
        }
        const Lacam::End end = guided_->step();
        if (end == Lacam::End::none_left) state_ = State::unsolvable;
        if (end == Lacam::End::going && guided_->configurations() < most_configurations_) return;
        if (end == Lacam::End::better) plan = guided_->plan();
        next_look_ += most_configurations_;
    } catch (const Memory::Full&) {  // the other one goes on alone
        next_look_ = std::numeric_limits<std::size_t>::max();
    }
    const std::size_t configurations = guided_ ? guided_->configurations() : 0;
    guided_.reset();
    memory_.used = used_before_;
    if (!plan) return;
    lacam_->beat(sum_of_loss(*plan, goals_));
    begin(std::move(*plan), configurations);
}

void Search::begin(Plan plan, std::size_t configurations) {
    refine_.emplace(problem_, chance_, std::move(plan));
    first_ = configurations;
    runs_ = 0;
    used_before_ = memory_.used;
    guide_.emplace(problem_);
    state_ = cost() == bound_ ? State::optimal : State::solved;
}

void Search::start_again() {
    bool is_last = true;
    try {
        if (guide_->advance()) return;
        if (!guided_) {
            if (runs_ == 0) held_by_guide_ = memory_.used - used_before_;
            used_before_ = memory_.used;
            guided_.emplace(problem_, chance_, &*guide_, RUNS[runs_].window);
        }
        const Lacam::End end = guided_->step();
        if (end == Lacam::End::going && guided_->configurations() < RUNS[runs_].most_times * first_) return;
        if (end == Lacam::End::better) adopt(guided_->plan());
        is_last = runs_ + 1 == RUNS.size() || (runs_ > 0 && work_of(runs_ + 1) > LITTLE);
    } catch (const Memory::Full&) {  // there is no room for a guide: then without
    }
    end_start(is_last);
}

void Search::end_start(bool is_last) {
    ++runs_;
    guided_.reset();
    memory_.used = used_before_;
    if (is_last) {
        guide_.reset();
        memory_.used -= held_by_guide_;
        eject_.emplace(problem_, chance_);
    } else {
        due_ = refine_->work() + work_of(runs_) / BEFORE;
    }
}

// About how many states robots look at in a run: a third of the square of the window, for each in each configuration.
std::size_t Search::work_of(std::size_t run) const {
    const auto window = static_cast<std::size_t>(RUNS[run].window);
    return first_ * starts_.size() * window * window / 3;
}

void Search::adopt(Plan plan) {
    if (sum_of_costs(plan) < cost()) refine_->adopt(std::move(plan));
}

void Search::improve() {
    const double share = 1.0 + problem_.robots() / FEW;
    if (proves_ && proving_ * share <= static_cast<double>(refine_->work()))
        prove();
    else if (eject_ && eject_->work() <= EJECTING * refine_->work())
        eject();
    else
        refine();
    if (cost() == bound_) state_ = State::optimal;
}

void Search::refine() {
    ++rounds_;
    refine_->round();
}

void Search::eject() {
    const Eject::End end = eject_->step();
    if (end == Eject::End::going) return;
    if (end == Eject::End::whole) refine_->try_out(std::move(eject_->plan()), TRIAL * eject_->work());
    eject_.reset();
}

void Search::prove() {
    proving_ += problem_.robots();
    if (cost() < beaten_) lacam_->beat(sum_of_loss(plan(), goals_));
    beaten_ = cost();
    try {
        const Lacam::End end = lacam_->step();
        if (end == Lacam::End::better) adopt(lacam_->plan());
        if (end != Lacam::End::none_left) return;
        bound_ =
            std::max(bound_, lacam_->limit());  // nobody's sum of costs is less than the least sum of loss
    } catch (const Memory::Full&) {             // refinement goes on
    }
    proves_ = false;
}

}  // namespace kumi::mapf
