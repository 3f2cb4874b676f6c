// Turns of the searches.
#include "mapf_search.hpp"

namespace kumi::mapf {

namespace {

constexpr double FEW = 8.0;  // robots with which LaCAM* gets half of the work
constexpr std::size_t PATIENCE = 4;  // times as many configurations as the first solution took
constexpr std::size_t EJECTING = 4;  // times as much work as refinement, while that goes on
constexpr std::size_t TRIAL = 2;     // times as much work as a plan took is given to its refinement to be the best

Places places_of(const Graph& graph, const std::vector<std::size_t>& cells) {
    Places places;
    for (const std::size_t cell : cells) places.push_back(graph.place(cell));
    return places;
}

}  // namespace

Search::Search(const std::uint8_t* blocked, int rows, int columns, const std::vector<std::size_t>& starts,
               const std::vector<std::size_t>& goals, kumi::Bits chance, std::size_t memory)
    : memory_{memory}, graph_(blocked, rows, columns), starts_(places_of(graph_, starts)), goals_(places_of(graph_, goals)),
      distances_(graph_, goals_, memory_), problem_{graph_, starts_, goals_, distances_, memory_}, chance_(chance) {}

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
    if (measured_ < problem_.robots()) measure();
    else if (!refine_) seek();
    else if (guide_) start_again();
    else improve();
}

void Search::measure() {
    const Steps least = distances_(measured_, starts_[measured_]);
    bound_ += least;
    ++measured_;
    if (least == FOREVER) state_ = State::unsolvable;
}

void Search::seek() {
    if (!lacam_) lacam_.emplace(problem_, chance_);
    const Lacam::End end = lacam_->step();
    if (end == Lacam::End::none_left) state_ = State::unsolvable;
    if (end != Lacam::End::better) return;
    refine_.emplace(problem_, chance_, lacam_->plan());
    used_before_ = memory_.used;
    guide_.emplace(problem_);
    state_ = cost() == bound_ ? State::optimal : State::solved;
}

void Search::start_again() {
    try {
        if (guide_->advance()) return;
        if (!guided_) guided_.emplace(problem_, chance_, &*guide_);
        const Lacam::End end = guided_->step();
        if (end == Lacam::End::going && guided_->configurations() < PATIENCE * lacam_->configurations()) return;
        if (end == Lacam::End::better) adopt(guided_->plan());
    } catch (const Memory::Full&) {  // there is no room for a guide: then without
    }
    guided_.reset();
    guide_.reset();
    memory_.used = used_before_;
    eject_.emplace(problem_, chance_);
}

void Search::adopt(Plan plan) {
    if (sum_of_costs(plan) < cost()) refine_->adopt(std::move(plan));
}

void Search::improve() {
    const double share = 1.0 + problem_.robots() / FEW;
    if (proves_ && proving_ * share <= static_cast<double>(refine_->work())) prove();
    else if (eject_ && eject_->work() <= EJECTING * refine_->work()) eject();
    else refine();
    if (cost() == bound_) state_ = State::optimal;
}

void Search::refine() {
    ++rounds_;
    if (refine_->round()) lacam_->beat(sum_of_loss(refine_->plan(), goals_));
}

void Search::eject() {
    const Eject::End end = eject_->step();
    if (end == Eject::End::going) return;
    if (end == Eject::End::whole) refine_->try_out(std::move(eject_->plan()), TRIAL * eject_->work());
    eject_.reset();
    lacam_->beat(sum_of_loss(plan(), goals_));
}

void Search::prove() {
    proving_ += problem_.robots();
    try {
        const Lacam::End end = lacam_->step();
        if (end == Lacam::End::better) adopt(lacam_->plan());
        if (end != Lacam::End::none_left) return;
        bound_ = std::max(bound_, lacam_->limit());  // nobody's sum of costs is less than the least sum of loss
    } catch (const Memory::Full&) {  // refinement goes on
    }
    proves_ = false;
}

}  // namespace kumi::mapf
