// Ways of all robots at once: lazy constraints addition search.
//
// A depth-first search over configurations, the places of all robots. Each step from one is made by PIBT; a
// configuration that is met again is asked for another step, with one more robot told where to go. So it is complete:
// when nothing is left to ask for, there is no solution. After the first one it goes on (LaCAM*): it keeps the cheapest
// way to each configuration, passes over what cannot beat the best, and when nothing is left, the best is the least
// sum of loss there is.
//
// Sources: Okumura, LaCAM: search-based algorithm for quick multi-agent pathfinding, 2023; Okumura, Improving LaCAM
// for scalable eventually optimal multi-agent pathfinding, 2023.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "mapf/pibt.hpp"

namespace kumi::mapf {

class Lacam {
  public:
    // With a guide, robots follow it for as many steps as the longest way has. Then most are there, and the others
    // are no longer helped by it. With a window they plan that many steps ahead before each step.
    Lacam(const Problem& problem, kumi::Bits& chance, const Guide* guide = nullptr, Steps window = 0);

    enum class End { going, better, none_left };
    // Makes one configuration; `better` when that led to a cheaper plan.
    End step();
    // What was found elsewhere: only less than that is of interest.
    void beat(std::int64_t loss) {
        if (loss < limit_) limit_ = loss;
    }
    std::int64_t limit() const { return limit_; }
    bool is_solved() const { return goal_ != nullptr; }
    Plan plan() const;
    std::size_t configurations() const { return nodes_.size(); }

  private:
    struct Demand {  // the robots in order up to this one are told where to go
        std::int32_t before;
        std::int32_t depth;
        Place to;
    };
    struct Node {
        std::unique_ptr<std::int32_t[]> data;  // places, order, and steps since a robot was last at its goal
        Node* parent;
        std::int64_t cost, ahead;
        Steps depth;
        std::vector<Node*> following;
        std::vector<Demand> demands;
        std::size_t asked = 0;
        std::int64_t total() const { return cost + ahead; }
    };
    std::span<std::int32_t> part(const Node& node, int number) const {
        return {node.data.get() + static_cast<std::size_t>(number) * robots_,
                static_cast<std::size_t>(robots_)};
    }
    Node* made(const Places& at, Node* parent);
    Node* known(const Places& at, std::uint64_t hash) const;
    void remember(Node* node, std::uint64_t hash);
    void ask_more(Node& node, std::int32_t demand);
    bool next_of(Node& node, std::int32_t demand);
    void connect(Node* from, Node* to);
    void relax(Node* from, Node* to);
    std::int64_t loss(const Node& from, const Node& to) const;
    std::uint64_t hash_of(const Places& at) const;

    Problem problem_;
    kumi::Bits& chance_;
    const Guide* guide_;
    std::optional<LocalGuide> local_;
    Pibt plain_, guided_;
    Steps guided_until_ = 0;
    int robots_;
    std::deque<Node> nodes_;
    std::vector<std::pair<std::uint64_t, Node*>> table_;
    std::vector<Node*> open_, changed_;
    Node* goal_ = nullptr;
    std::int64_t limit_ = std::numeric_limits<std::int64_t>::max();
    Places next_;
    std::vector<Pibt::Fixed> fixed_;
    std::vector<std::uint64_t> keys_;
};

}  // namespace kumi::mapf
