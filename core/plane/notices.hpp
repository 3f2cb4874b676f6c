// Who is told of what happened, and when?
//
// What happens is told to one listener, after the plane is in order: notices wait until then.
#pragma once

#include "plane/body.hpp"

#include <vector>

namespace kumi {

enum class Why : std::uint8_t { arrived, stopped, contact, gone };

class Listener {
  public:
    virtual ~Listener() = default;
    // Something will be told of this body in a moment: its memory may be fetched.
    virtual void expect(BodyId body) = 0;
    virtual void touched(BodyId body, BodyId other, std::int32_t obstacle, Vec point) = 0;
    virtual void parted(BodyId body, BodyId other, std::int32_t obstacle) = 0;
    virtual void ended(BodyId body, Why why) = 0;
    virtual void moved(BodyId body) = 0;
    virtual void watched(std::uint32_t watch, BodyId other, bool entered) = 0;
    // Decides what a contact does to `body`; only asked where the policy says so.
    virtual Policy decide(BodyId body, BodyId other, std::int32_t obstacle, Vec point) = 0;
};

struct Notice {
    enum class Kind : std::uint8_t { touched, parted, ended, moved, watched } kind;
    BodyId body, other;
    std::int32_t obstacle;
    Vec point;
    Why why;
    bool entered;
};

class Notices {
  public:
    Listener* listener = nullptr;

    bool empty() const { return notices_.empty(); }
    bool is_idle() const { return notices_.empty() && !is_telling_; }
    void clear() { notices_.clear(); }
    void tell(Notice notice) { notices_.push_back(notice); }
    void tell();  // all that wait

  private:
    std::vector<Notice> notices_;
    bool is_telling_ = false;
};

}  // namespace kumi
