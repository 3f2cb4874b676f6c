// Which contacts last, and when do they end?
//
// A contact that is let pass lasts from where the two touch until they have parted, whatever either does in between: so
// long it is not told again. When they part is predicted from the same gap as the contact was, and predicted anew when
// either changes its motion. Of contacts that stop a body or let it slide, those last that somebody asked to know the end of.
#pragma once

#include "plane/bodies.hpp"
#include "plane/earliest.hpp"
#include "plane/notices.hpp"
#include "plane/obstacles.hpp"

#include <vector>

namespace kumi {

class Contacts {
  public:
    Contacts(Bodies& bodies, const Obstacles& obstacles, Notices& notices)
        : bodies_(bodies), obstacles_(obstacles), notices_(notices) {}

    // Who is in a contact with whom, or with what.
    struct Pair {
        BodyId body, other;  // NOBODY for an obstacle
        std::int32_t obstacle;
    };

    double time() const { return ends_.time(); }
    std::uint32_t who() const { return ends_.who(); }  // of equal times, the lower number

    // Whether a pair goes through each other now. Asked at each prediction of somebody who is in a contact.
    bool lets_pass(Pair pair) const {
        return bodies_.hot(pair.body).is_in_contact &&
               (pair.other == NOBODY || bodies_.hot(pair.other).is_in_contact) && find(pair, true) != NONE;
    }

    // A contact begins, `open` apart, or goes on; one that neither passes nor is asked about need not be told.
    void begin(Pair pair, double open, bool passes);
    // What is planned has come: true where the two part, and `pair` who.
    bool act(std::uint32_t number, Pair& pair);

    // A body, or an obstacle, is gone.
    void forget(BodyId body);
    void forget_obstacle(std::int32_t obstacle);
    // A body was put elsewhere or has another size: it parts from those whom it no longer touches.
    void recheck(BodyId body);

    void predict(BodyId body);  // the ends of all its contacts
    void halt();                // nothing happens any more

  private:
    static constexpr std::uint32_t NONE = 0xFFFFFFFFu;

    struct Lasting {
        Pair pair;
        double slack;  // within it the gap counts as closed
        std::uint32_t version, other_version;
        bool passes, is_sure, is_over;
    };

    Bodies& bodies_;
    const Obstacles& obstacles_;
    Notices& notices_;
    std::vector<Lasting> lasting_;     // by number
    std::vector<std::uint32_t> free_;  // numbers of those that are over
    Earliest ends_;

    std::uint32_t find(Pair pair, bool passes) const;
    void end(std::uint32_t number);
    void predict_end(std::uint32_t number);
    double slack_of(Pair pair) const;
    double gap_of(Pair pair) const;
    Meeting parting_of_bodies(const Lasting& lasting) const;
    Meeting parting_of_obstacle(const Lasting& lasting) const;
};

}  // namespace kumi
