// When does something happen next, and to whom?
//
// One time for each body. Whose motion has changed is noted, and predicted anew when the next time is asked for: a body
// that stops and goes on at one instant is predicted once.
#pragma once

#include "plane/bodies.hpp"
#include "plane/cells.hpp"
#include "plane/earliest.hpp"
#include "plane/notices.hpp"
#include "plane/walkers.hpp"

#include <array>
#include <vector>

namespace kumi {

class Times {
  public:
    Times(Bodies& bodies, const Cells& cells, const Walkers& walkers, const Notices& notices)
        : bodies_(bodies), cells_(cells), walkers_(walkers), notices_(notices) {}

    void resize(std::size_t bodies) { body_times_.resize(bodies); }
    double time() const { return body_times_.time(); }
    BodyId who() const { return body_times_.who(); }  // of equal times, the lower number
    std::size_t bytes() const { return body_times_.bytes(); }

    void plan(BodyId body, double time);
    void plan_body(BodyId body);  // the first of what was predicted for it

    // Whether predictions were made and are kept up, whether some or all no longer hold, and whose.
    bool is_predicted() const { return is_predicted_; }
    bool has_changed() const { return !dirty_.empty() || !is_predicted_; }
    const std::vector<BodyId>& dirty() const { return dirty_; }
    void changed(BodyId body) {
        Body& b = bodies_[body];
        if (b.is_dirty) return;
        b.is_dirty = true;
        dirty_.emplace_back(body);
    }
    void outdate() { is_predicted_ = false; }
    void set_predicted(bool is_predicted);  // all of them, or none
    void clear_dirty() { dirty_.clear(); }

  private:
    Bodies& bodies_;
    const Cells& cells_;
    const Walkers& walkers_;
    const Notices& notices_;
    Earliest body_times_;
    std::array<BodyId, 32> expected_{};  // who will have its turn soon, the last that were found
    std::uint32_t turn_ = 0;
    std::vector<BodyId> dirty_;
    bool is_predicted_ = false;

    void fetch_ahead(BodyId body);
};

}  // namespace kumi
