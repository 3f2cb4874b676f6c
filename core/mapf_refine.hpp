// A plan made cheaper: large neighbourhood search.
//
// Again and again a few robots are taken out of the plan and find new ways one after the other among those of all
// others. If together they are not worse than before, the new ways stay. Whom to take out is chosen by chance: those
// who hold up a delayed robot, those who meet about one place, or anyone. Ways to choose that gain more for their work
// are chosen more often.
//
// Source: Li et al., Anytime multi-agent path finding via large neighborhood search, 2021.
#pragma once

#include "chance.hpp"
#include "mapf_sipp.hpp"

namespace kumi::mapf {

class Refine {
public:
    Refine(const Problem& problem, kumi::Bits& chance, Plan plan);

    bool round();  // whether the plan became cheaper
    void adopt(Plan plan);
    const Plan& plan() const { return plan_; }
    std::int64_t cost() const { return cost_; }
    std::size_t work() const { return sipp_.work(); }

private:
    template <std::size_t N>
    struct Weights {
        std::array<double, N> of;
        Weights() { of.fill(1.0); }
        std::size_t drawn(kumi::Bits& chance) const;
        void learn(std::size_t which, double gain);
    };
    void choose_delayed(std::size_t size);
    void choose_meeting(std::size_t size);
    void choose_any(std::size_t size);
    bool take(int robot);
    int some_delayed();
    void walk(int robot, std::size_t size);
    bool replan(std::int64_t before);
    Steps cost_of(int robot) const { return static_cast<Steps>(plan_[robot].size()) - 1; }
    Steps least_of(int robot) const { return problem_.distances(robot, problem_.starts[robot]); }

    Problem problem_;
    kumi::Bits& chance_;
    Plan plan_, ways_;
    std::int64_t cost_ = 0;
    Visits visits_;
    Sipp sipp_;
    std::vector<int> chosen_;
    std::vector<bool> is_chosen_;
    Weights<3> kinds_;
    Weights<4> sizes_;
    std::vector<std::uint32_t> seen_;  // by place: the walk over the map that came there
    std::uint32_t walks_ = 0;
    Places around_;
};

}  // namespace kumi::mapf
