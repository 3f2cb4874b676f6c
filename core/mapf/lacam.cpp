// The search over configurations.
#include "mapf/lacam.hpp"

#include <algorithm>

namespace kumi::mapf {

namespace {

constexpr int PLACES = 0, ORDER = 1, WAITED = 2, PARTS = 3;

}  // namespace

Lacam::Lacam(const Problem& problem, kumi::Bits& chance, const Guide* guide, Steps window)
    : problem_(problem),
      chance_(chance),
      guide_(guide),
      local_(window ? std::make_optional<LocalGuide>(problem, window) : std::nullopt),
      plain_(problem, chance, nullptr, local_ ? &*local_ : nullptr),
      guided_(problem, chance, guide, local_ ? &*local_ : nullptr),
      robots_(problem.robots()),
      table_(64) {
    open_.push_back(made(problem.starts, nullptr));
    for (int robot = 0; guide && robot < robots_; ++robot)
        guided_until_ = std::max(guided_until_, problem.distances(robot, problem.starts[robot]));
}

Lacam::End Lacam::step() {
    while (!open_.empty()) {
        Node& node = *open_.back();
        if (node.asked == node.demands.size() || node.total() >= limit_) {
            open_.pop_back();
            continue;
        }
        if (!goal_ && std::ranges::equal(part(node, PLACES), problem_.goals)) {
            goal_ = &node;
            limit_ = std::min(limit_, node.cost);
            return End::better;
        }
        const auto demand = static_cast<std::int32_t>(node.asked++);
        ask_more(node, demand);
        const std::int64_t before = limit_;
        if (next_of(node, demand)) {
            const std::uint64_t hash = hash_of(next_);
            if (Node* old = known(next_, hash)) {
                connect(&node, old);
                open_.push_back(old);
            } else {
                Node* fresh = made(next_, &node);
                if (fresh->total() < limit_) open_.push_back(fresh);
            }
        }
        return limit_ < before ? End::better : End::going;
    }
    return End::none_left;
}

// Each robot in the order takes each of its places: one level of the tree of demands for each robot.
void Lacam::ask_more(Node& node, std::int32_t demand) {
    const std::int32_t depth = node.demands[demand].depth;
    if (depth == robots_) return;
    const Place at = part(node, PLACES)[part(node, ORDER)[depth]];
    std::array<Place, 5> to;
    int count = 0;
    for (const Place near : problem_.graph.near(at)) to[count++] = near;
    to[count++] = at;
    problem_.memory.take(count * sizeof(Demand));
    for (int left = count; left > 0; --left) {
        const auto drawn = chance_.below(left);
        node.demands.push_back({demand, depth + 1, to[drawn]});
        to[drawn] = to[left - 1];
    }
}

bool Lacam::next_of(Node& node, std::int32_t demand) {
    const bool is_first = demand == 0;
    fixed_.clear();
    const auto order = part(node, ORDER);
    for (; node.demands[demand].depth > 0; demand = node.demands[demand].before)
        fixed_.push_back({order[node.demands[demand].depth - 1], node.demands[demand].to});
    std::ranges::reverse(fixed_);
    const bool is_guided = node.depth < guided_until_;
    if (local_ && is_first)
        local_->plan(part(node, PLACES), order, is_guided ? guide_ : nullptr);
    else if (local_)
        local_->forget();
    return (is_guided ? guided_ : plain_).step(part(node, PLACES), order, fixed_, next_);
}

Lacam::Node* Lacam::made(const Places& at, Node* parent) {
    const std::size_t size = static_cast<std::size_t>(robots_) * PARTS;
    problem_.memory.take(sizeof(Node) + size * sizeof(std::int32_t) + 2 * sizeof(table_[0]));
    Node& node = nodes_.emplace_back();
    node.data = std::make_unique<std::int32_t[]>(size);
    node.parent = parent;
    node.demands.push_back({-1, 0, -1});
    std::ranges::copy(at, part(node, PLACES).begin());
    node.ahead = 0;
    node.depth = parent ? parent->depth + 1 : 0;
    keys_.resize(robots_);
    for (int robot = 0; robot < robots_; ++robot) {
        const Steps away = problem_.distances(robot, at[robot]);
        node.ahead += away;
        // Who has been on its way for longest goes first; at the start, who has the longest way.
        const std::int32_t waited = away == 0 ? 0 : parent ? part(*parent, WAITED)[robot] + 1 : 1;
        part(node, WAITED)[robot] = waited;
        const auto first = static_cast<std::uint64_t>(problem_.distances(robot, problem_.starts[robot]));
        keys_[robot] = (static_cast<std::uint64_t>(waited) << 32) + first;
    }
    const auto order = part(node, ORDER);
    for (int robot = 0; robot < robots_; ++robot) order[robot] = robot;
    std::ranges::sort(order, [&](std::int32_t one, std::int32_t other) {
        return keys_[one] != keys_[other] ? keys_[one] > keys_[other] : one < other;
    });
    node.cost = parent ? parent->cost + loss(*parent, node) : 0;
    if (parent) parent->following.push_back(&node);
    remember(&node, hash_of(at));
    return &node;
}

// A cheaper way to a configuration may be one to all that follow from it.
void Lacam::connect(Node* from, Node* to) {
    problem_.memory.take(sizeof(Node*));
    from->following.push_back(to);
    changed_.clear();
    relax(from, to);
    for (std::size_t i = 0; i < changed_.size(); ++i)
        for (Node* after : changed_[i]->following) relax(changed_[i], after);
}

void Lacam::relax(Node* from, Node* to) {
    const std::int64_t cost = from->cost + loss(*from, *to);
    if (cost >= to->cost) return;
    to->cost = cost;
    to->parent = from;
    changed_.push_back(to);
    if (to == goal_)
        limit_ = std::min(limit_, cost);
    else if (to->total() < limit_)
        open_.push_back(to);
}

std::int64_t Lacam::loss(const Node& from, const Node& to) const {
    const auto before = part(from, PLACES), after = part(to, PLACES);
    std::int64_t sum = 0;
    for (int robot = 0; robot < robots_; ++robot)
        sum += before[robot] != problem_.goals[robot] || after[robot] != problem_.goals[robot];
    return sum;
}

std::uint64_t Lacam::hash_of(const Places& at) const {
    std::uint64_t hash = 0;
    for (const Place place : at) hash = mixed(hash + ODD + static_cast<std::uint64_t>(place));
    return hash;
}

Lacam::Node* Lacam::known(const Places& at, std::uint64_t hash) const {
    for (std::size_t i = hash;; ++i) {
        const auto& [other, node] = table_[i & (table_.size() - 1)];
        if (!node) return nullptr;
        if (other == hash && std::ranges::equal(part(*node, PLACES), at)) return node;
    }
}

void Lacam::remember(Node* node, std::uint64_t hash) {
    const auto insert = [&](std::uint64_t its_hash, Node* one) {
        std::size_t i = its_hash & (table_.size() - 1);
        while (table_[i].second) i = (i + 1) & (table_.size() - 1);
        table_[i] = {its_hash, one};
    };
    if (2 * nodes_.size() > table_.size()) {
        auto old = std::vector<std::pair<std::uint64_t, Node*>>(2 * table_.size());
        old.swap(table_);
        for (const auto& [its_hash, one] : old)
            if (one) insert(its_hash, one);
    }
    insert(hash, node);
}

Plan Lacam::plan() const {
    std::vector<const Node*> nodes;
    for (const Node* node = goal_; node; node = node->parent) nodes.push_back(node);
    Plan plan(robots_);
    for (int robot = 0; robot < robots_; ++robot) {
        for (std::size_t i = nodes.size(); i-- > 0;) plan[robot].push_back(part(*nodes[i], PLACES)[robot]);
        while (plan[robot].size() > 1 && plan[robot][plan[robot].size() - 2] == problem_.goals[robot])
            plan[robot].pop_back();
    }
    return plan;
}

}  // namespace kumi::mapf
