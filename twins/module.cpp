// kumi._twins: compiled twins of models, for studies of very many runs. The models stay the truth.
#include "convoy.hpp"

#include <nanobind/nanobind.h>

#include <cstring>
#include <stdexcept>

namespace nb = nanobind;
using namespace kumi;

namespace {

// Returns the numbers of a run, where everybody is at its end, and, as doubles, each instant with the mean error then.
nb::tuple convoy(nb::bytes settings, int steps, nb::bytes seeds, bool keeps_history) {
    twins::Settings set;
    if (settings.size() != sizeof set || seeds.size() % 32 != 0 || seeds.size() < 64)
        throw std::invalid_argument("settings are 20 numbers of 8 bytes, and seeds 32 bytes for each of 2 robots or more");
    std::memcpy(&set, settings.c_str(), sizeof set);
    std::vector<Chance> chances;
    for (std::size_t at = 0; at < seeds.size(); at += 32) {
        std::array<std::uint64_t, 4> seed;
        std::memcpy(seed.data(), seeds.c_str() + at, 32);
        chances.emplace_back(seed);
    }
    twins::Convoy run(set, steps, std::move(chances));
    run.keeps_history = keeps_history;
    {
        nb::gil_scoped_release released;
        run.run();
    }
    nb::list places;
    for (int i = 0; i < static_cast<int>(run.robots.size()); ++i) {
        const Pose pose = run.pose(i);
        places.append(nb::make_tuple(pose.at.x, pose.at.y, pose.heading));
    }
    const nb::bytes history(reinterpret_cast<const char*>(run.history.data()), run.history.size() * sizeof(double));
    return nb::make_tuple(run.now(), run.integral, run.warm_at, run.integral_when_warm, run.broke_up_at, run.largest, run.way,
                          run.adjustments, run.times_lost, run.avoided, run.follower_steps, run.leader_steps, places, history);
}

}  // namespace

NB_MODULE(_twins, module) {
    module.def("convoy", &convoy, nb::arg("settings"), nb::arg("steps"), nb::arg("seeds"), nb::arg("keeps_history") = false);
}
