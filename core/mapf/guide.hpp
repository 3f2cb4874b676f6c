// Ways that keep out of each other's way: one direction for each corridor, and no crowds.
//
// Each robot in turn lays a way to its goal over the map, where a step costs more the more others take it the other way
// round or go to the same place. From the traffic that comes out each robot gets a potential, the cost from each
// place to its goal, and PIBT then goes down that instead of down the distance.
//
// Source, with other costs: Chen, Harabor, Li & Stuckey, Traffic flow optimisation for lifelong multi-agent path
// finding, 2024.
#pragma once

#include "mapf/mapf.hpp"

namespace kumi::mapf {

class Guide {
  public:
    explicit Guide(const Problem& problem);
    // Does a part of the work; false when all is done.
    bool advance();
    Steps operator()(int robot, Place at) const { return tables_[robot][at]; }
    // What a step costs, of which STEP is for the step itself.
    static constexpr Steps STEP = 32;
    Steps step_cost(Place from, int direction) const;

  private:
    void lay(int robot);
    void spread(Place goal, Place until, std::vector<Steps>& costs);
    void count(Place from, Place to, int change);

    Problem problem_;
    std::vector<std::array<std::int32_t, 4>> flow_;  // how many go from a place to each of its neighbours
    std::vector<std::int32_t> crowd_;                // how many go to a place
    Plan ways_;
    std::vector<std::vector<Steps>> tables_;
    std::vector<Steps> costs_;
    std::vector<Places> ring_;
    int done_ = 0;
};

}  // namespace kumi::mapf
