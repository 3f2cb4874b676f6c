// kumi._twins: compiled twins of models, for studies of very many runs. The models stay the truth.
#include "convoy.hpp"

#include <nanobind/nanobind.h>

#include <cstring>
#include <stdexcept>

namespace nb = nanobind;
using namespace kumi;

namespace {

std::vector<Chance> chances_of(nb::bytes seeds) {
    std::vector<Chance> chances;
    for (std::size_t at = 0; at < seeds.size(); at += 32) {
        std::array<std::uint64_t, 4> seed;
        std::memcpy(seed.data(), seeds.c_str() + at, 32);
        chances.emplace_back(seed);
    }
    return chances;
}

// Returns the numbers of a run, where everybody is at its end, as doubles each instant with the mean error then, and of a
// break-up the robot, the trouble, the other robot in it, when that was, and where.
nb::tuple convoy(nb::bytes settings, int steps, nb::bytes seeds, bool keeps_history, double message_loss,
                 nb::bytes link_seeds) {
    twins::Settings set;
    if (settings.size() != sizeof set || seeds.size() % 32 != 0 || seeds.size() < 64)
        throw std::invalid_argument(
            "settings are 20 numbers of 8 bytes, and seeds 32 bytes for each of 2 robots or more");
    std::memcpy(&set, settings.c_str(), sizeof set);
    if (link_seeds.size() != (message_loss > 0.0 ? seeds.size() - 32 : 0))
        throw std::invalid_argument(
            "where messages are lost, link_seeds are 32 bytes for each two neighbours, else none");
    twins::Convoy run(set, steps, chances_of(seeds), message_loss, chances_of(link_seeds));
    run.keeps_history = keeps_history;
    {
        nb::gil_scoped_release released;
        run.run();
    }
    nb::list places;
    for (int i = 0; i < static_cast<int>(run.robots.size()); ++i) {
        const Pose pose = wrapped(run.pose(i));
        places.append(nb::make_tuple(pose.at.x, pose.at.y, pose.heading));
    }
    const nb::bytes history(reinterpret_cast<const char*>(run.history.data()),
                            run.history.size() * sizeof(double));
    return nb::make_tuple(run.now(), run.integral, run.warm_at, run.integral_when_warm, run.broke_up_at,
                          run.largest, run.way, run.adjustments, run.times_lost, run.avoided,
                          run.follower_steps, run.leader_steps, places, history,
                          nb::make_tuple(run.broken, static_cast<int>(run.why.trouble), run.why.other,
                                         run.why.time, run.why.at.x, run.why.at.y));
}

}  // namespace

NB_MODULE(_twins, module) {
    module.def("convoy", &convoy, nb::arg("settings"), nb::arg("steps"), nb::arg("seeds"),
               nb::arg("keeps_history") = false, nb::arg("message_loss") = 0.0,
               nb::arg("link_seeds") = nb::bytes("", 0));
}
