// A plan made cheaper: large neighbourhood search.
//
// Again and again a few robots are taken out of the plan and find new ways one after the other among those of all
// others. If together they are not worse than before, the new ways stay. Whom to take out is chosen by chance: those
// who hold up a delayed robot, those who meet about one place, or anyone. Or a delayed robot takes the way it likes
// best through others, who then do the same with what is left, and so on. Ways to choose, and numbers of robots, that
// gain more for their work are chosen more often.
//
// Source: Li et al., Anytime multi-agent path finding via large neighborhood search, 2021.
#pragma once

#include "mapf/flood.hpp"
#include "mapf/soft.hpp"
#include "numbers/chance.hpp"

namespace kumi::mapf {

class Refine {
  public:
    Refine(const Problem& problem, kumi::Bits& chance, Plan plan);

    bool round();  // whether the plan became cheaper
    void adopt(Plan plan);
    // Goes on from another plan, even a dearer one, and back to the present one if that is not beaten in so much work.
    void try_out(Plan plan, std::size_t work);
    const Plan& plan() const { return is_trying() ? kept_ : plan_; }  // the best
    std::int64_t cost() const { return is_trying() ? kept_cost_ : cost_; }
    std::size_t work() const { return sipp_.work() + soft_.work() + flood_.work() / WORDS; }

  private:
    static constexpr std::size_t WORDS = 32;  // of a flood, which take as long as a state of a search
    static constexpr std::array<std::size_t, 5> SIZES{1, 2, 4, 8, 16};  // robots taken out at once
    static constexpr std::array<std::size_t, 3> CHAINS{4, 8, 16};       // robots in a chain at most
    enum Kind : std::size_t { delayed, meeting, any, chained };
    struct Arm {  // what a way to choose gains, and what work it takes, in a round
        double gain = 0.0, work = 1.0, rounds = 0.0;
        double rate() const { return gain / work; }
    };
    std::size_t drawn_arm();
    bool is_trying() const { return !kept_.empty(); }
    void end_trial();
    std::int64_t changed(Kind kind, std::size_t size);
    void choose_delayed(std::size_t size);
    void choose_meeting(std::size_t size);
    void choose_any(std::size_t size);
    bool take(int robot);
    int some_delayed();
    void walk(int robot, std::size_t size);
    bool replan();
    bool chain(std::size_t most);
    void put_back(std::size_t done);
    void add(int robot, const Places& way);
    void remove(const Places& way);
    Places fastest(int robot, Steps most);
    void follow(bool is_chain);
    Steps cost_of(int robot) const { return static_cast<Steps>(plan_[robot].size()) - 1; }
    Steps latest_of(int robot) const {  // floods know of nothing after their horizon
        const Steps latest = cost_of(robot) + ROOM;
        return floods_ ? std::min(latest, flood_.horizon() - 1) : latest;
    }
    Steps least_of(int robot) const { return problem_.distances(robot, problem_.starts[robot]); }

    Problem problem_;
    kumi::Bits& chance_;
    Plan plan_, ways_, kept_;
    std::int64_t cost_ = 0, kept_cost_ = 0;
    std::size_t trial_ends_ = 0;  // by work
    Visits visits_;
    Steps horizon_;  // of the table of who is where, unless that of floods is better
    Sipp sipp_;
    Soft soft_;
    Flood flood_;
    bool floods_ = false;  // fastest ways are found by floods
    std::vector<int> chosen_;
    std::vector<bool> is_chosen_;
    std::vector<Steps> prices_;
    std::array<Arm, chained * SIZES.size() + CHAINS.size()> arms_;
    std::vector<std::uint32_t> seen_;  // by place: the walk over the map that came there
    std::uint32_t walks_ = 0;
    Places around_;
};

}  // namespace kumi::mapf
