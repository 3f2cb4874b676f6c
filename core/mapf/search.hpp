// A solution, and then better ones: the searches for one problem, in turns that can be cut anywhere.
//
// First the distances are found, then LaCAM goes on to the first solution; where it is stuck, runs with robots that plan a
// window of steps ahead take turns with it. Then it starts again with a guide, which takes longer and comes out cheaper
// where there is much traffic. After some refinement it starts up to twice more with robots that plan ahead, which takes
// much longer and comes out much cheaper where there is little room. Then rounds of refinement, steps of LaCAM* and one
// more plan, by guided ejection, take turns. All turns go by work done, never by the clock: what comes out depends on the
// seed and the number of rounds alone. LaCAM* gets half of the work with few robots, where it soon proves that the plan
// is optimal, and little with many. When the plan by ejection is whole, refinement goes on from it for a while, and stays
// there if that pays.
#pragma once

#include <chrono>
#include <optional>

#include "mapf/eject.hpp"
#include "mapf/lacam.hpp"
#include "mapf/refine.hpp"

namespace kumi::mapf {

class Search {
  public:
    Search(const std::uint8_t* blocked, int rows, int columns, const std::vector<std::size_t>& starts,
           const std::vector<std::size_t>& goals, kumi::Bits chance, std::size_t memory);
    Search(const Search&) = delete;

    enum class State { searching, solved, optimal, unsolvable, full };
    using Instant = std::chrono::steady_clock::time_point;
    // Goes on until the state changes, the instant has come, or so many rounds are done since the beginning.
    State advance(Instant until, std::int64_t rounds);

    const Graph& graph() const { return graph_; }
    const Plan& plan() const { return refine_->plan(); }
    bool is_solved() const { return refine_.has_value(); }
    std::int64_t cost() const { return refine_->cost(); }
    std::int64_t bound() const { return bound_; }
    std::int64_t rounds() const { return rounds_; }
    std::size_t configurations() const { return lacam_ ? lacam_->configurations() : 0; }

  private:
    void turn();
    void measure();
    void seek();
    void look_ahead();
    void begin(Plan plan, std::size_t configurations);
    void start_again();
    void end_start(bool is_last);
    std::size_t work_of(std::size_t run) const;
    void improve();
    void adopt(Plan plan);
    void refine();
    void prove();
    void eject();

    Memory memory_;
    Graph graph_;
    Places starts_, goals_;
    Distances distances_;
    Problem problem_;
    kumi::Bits chance_;
    int measured_ = 0;
    std::optional<Lacam> lacam_;
    std::optional<Refine> refine_;
    std::optional<Guide> guide_;
    std::optional<Lacam> guided_;
    std::optional<Eject> eject_;
    // Configurations after which the search for a first solution is stuck, and at which it is next.
    std::size_t most_configurations_ = 0, next_look_ = 0;
    std::size_t first_ = 0;  // configurations that the first solution took
    std::size_t runs_ = 0;   // how often LaCAM has started again and come to an end
    std::size_t due_ = 0;    // the work of refinement after which it does so
    // Memory: what was used before the guide or the present start, and what the guide holds.
    std::size_t used_before_ = 0, held_by_guide_ = 0;
    State state_ = State::searching;
    std::int64_t bound_ = 0, rounds_ = 0;
    std::int64_t beaten_ = std::numeric_limits<std::int64_t>::max();  // the cost that LaCAM* knows of
    double proving_ = 0.0;  // work of LaCAM* since the first solution
    bool proves_ = true;
};

}  // namespace kumi::mapf
