// The heap of the plane: one entry for each body and each watch that has something ahead of it.
#include "plane.hpp"

#include <algorithm>
#include <utility>

namespace kumi {

void Plane::plan_body(BodyId id) {
    const Body& b = bodies_[id];
    plan(id, std::min({b.contact, b.fixed, b.ground, b.end, b.crossing, b.far_crossing, b.sample}));
}

void Plane::plan(std::uint32_t who, double time) {
    std::uint32_t& place = place_in_heap(who);
    if (time == INFINITE_TIME) {
        if (place == NOWHERE) return;
        const std::size_t hole = std::exchange(place, NOWHERE);
        const Item last = heap_.back();
        heap_.pop_back();
        if (last.who == who) return;
        if (hole > 0 && last < heap_[(hole - 1) / 4])
            sift_up(hole, last);
        else
            sift_down(hole, last);
        return;
    }
    const Item item{std::max(time, now), who};
    if (place == NOWHERE) {
        heap_.push_back(item);
        sift_up(heap_.size() - 1, item);
    } else if (item < heap_[place]) {
        sift_up(place, item);
    } else {
        sift_down(place, item);
    }
}

void Plane::put_item(std::size_t place, const Item& item) {
    heap_[place] = item;
    place_in_heap(item.who) = static_cast<std::uint32_t>(place);
}

void Plane::sift_up(std::size_t place, Item item) {
    while (place > 0) {
        const std::size_t parent = (place - 1) / 4;
        if (!(item < heap_[parent])) break;
        put_item(place, heap_[parent]);
        place = parent;
    }
    put_item(place, item);
}

void Plane::sift_down(std::size_t place, Item item) {
    const std::size_t size = heap_.size();
    for (;;) {
        const std::size_t first = place * 4 + 1;
        if (first >= size) break;
        const std::size_t last = std::min(first + 4, size);
        std::size_t least = first;
        for (std::size_t child = first + 1; child < last; ++child)
            if (heap_[child] < heap_[least]) least = child;
        if (!(heap_[least] < item)) break;
        put_item(place, heap_[least]);
        place = least;
    }
    put_item(place, item);
}

}  // namespace kumi
