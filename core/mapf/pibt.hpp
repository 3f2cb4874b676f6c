// Where do all robots go next? Priority inheritance with backtracking.
//
// In the order of their priorities robots choose the neighbour nearest to their goal. Who is in the way is asked to
// choose at once, and if it cannot, the one who asked takes its next choice. Where two robots would have to pass
// each other in a corridor, one draws the other back out of it.
//
// Sources: Okumura et al., Priority inheritance with backtracking for iterative multi-agent path finding, 2022;
// the exchange in corridors: Okumura, Improving LaCAM for scalable eventually optimal multi-agent pathfinding, 2023.
#pragma once

#include "mapf/local_guide.hpp"
#include "numbers/chance.hpp"

namespace kumi::mapf {

class Pibt {
  public:
    // Robots go down the distance to their goals, or down the potentials of a guide; a local guide comes first.
    Pibt(const Problem& problem, kumi::Bits& chance, const Guide* guide, const LocalGuide* local);

    struct Fixed {
        int robot;
        Place to;
    };
    // Fills `next` with a step of all robots, with some of them told where to go; false where it finds none.
    bool step(std::span<const Place> now, std::span<const std::int32_t> order, std::span<const Fixed> fixed,
              Places& next);

  private:
    static constexpr int NOBODY = -1;
    static constexpr Place OPEN = -1;
    struct Choice {
        int robot, count, tried, drawn;
        std::array<Place, 5> to;
    };
    bool take(const Fixed& fixed);
    bool choose(int robot);
    bool try_on(Choice& choice);
    void settle(const Choice& choice);
    Choice choices_of(int robot);
    int to_draw(const Choice& choice) const;
    bool is_draw_needed(int pusher, int puller, Place pusher_at, Place puller_at) const;
    bool is_draw_possible(Place pusher_at, Place puller_at) const;
    Steps away(int robot, Place at) const {
        return guide_ ? (*guide_)(robot, at) : problem_.distances(robot, at);
    }
    int ways_on(Place from, Place to, Place& on) const;

    Problem problem_;
    kumi::Bits& chance_;
    const Guide* guide_;
    const LocalGuide* local_;
    std::vector<int> here_, there_;  // who is at a place now, and after the step
    std::span<const Place> now_;
    Place* next_ = nullptr;
    std::vector<Choice> asked_;
};

}  // namespace kumi::mapf
