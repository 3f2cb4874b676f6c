// What went wrong in a step: kept until the step is over, with notes of where it happened, and then raised.
#include "kernel/engine.hpp"

#include "kernel/task.hpp"

#include <algorithm>

namespace kumi {

namespace {

constexpr std::size_t MOST_REPORTS = 100;  // of different mistakes in one step

int raise_now(void* error) {
    Ref value(static_cast<PyObject*>(error));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(value.get())), value.get());
    return -1;
}

// Leaves the tasks in which an error came about with it, as `kumi.devs.errors.sources_of` gives them.
void set_sources(PyObject* error, const std::vector<std::string>& paths) {
    ErrorAside aside;
    Ref sources(PyTuple_New(static_cast<Py_ssize_t>(paths.size())));
    for (std::size_t i = 0; sources && i < paths.size(); ++i)
        PyTuple_SET_ITEM(sources.get(), static_cast<Py_ssize_t>(i), PyUnicode_FromString(paths[i].c_str()));
    if (!sources || PyObject_SetAttrString(error, "_sources", sources.get()) < 0) PyErr_Clear();
}

}  // namespace

PyObject* Engine::fail(Node& node, const char* doing) {
    return fail(std::string(doing) + " of '" + path_of(node.object()) + "'");
}

PyObject* Engine::fail(const std::string& where) {
    PyObject* value = take_error();
    const bool is_cut = reinterpret_cast<PyObject*>(Py_TYPE(value)) == cut_class();
    if (value == raised_ || (is_cut && cut_short_ == turns)) {  // its reason is kept already
        Py_DECREF(value);
        return raised_;
    }
    name_source(value, task);
    failures_.emplace_back(value);
    add_note(value, where);
    return value;
}

void Engine::name_source(PyObject* error, TaskObject* whose) {
    if (whose) set_sources(error, {path_of(reinterpret_cast<PyObject*>(whose))});
}

bool Engine::has_reported(const std::string& text) {
    const auto known = reports_.find(text);
    if (known == reports_.end() && reports_.size() < MOST_REPORTS) return false;
    if (known != reports_.end()) report_ = known->second;
    reported_in_ = turns;
    return reports_again_ = true;
}

void Engine::keep_report(const std::string& text, PyObject* failure) {
    reports_[text] = report_ = failure;
    reported_in_ = turns;
}

void Engine::forget_failures() {
    reports_.clear();
    report_ = raised_ = nullptr;
    reported_in_ = 0;
    reports_again_ = false;
}

std::string Engine::whose_turn() {
    if (task) return "task '" + path_of(reinterpret_cast<PyObject*>(task)) + "'";
    if (Node* node = acting ? acting : sending) return "model '" + path_of(node->object()) + "'";
    return "a call of the run";
}

bool Engine::interrupt(std::uint64_t turn, PyObject* kind, PyObject* failure) {
    if (turn != this->turn()) return false;
    if (failure) {
        if (failure != report()) fail_with(failure);
        raised_ = failure;
        cut_short_ = turns;
        if (task && !std::exchange(task->is_cut, true)) ++task->cuts;
    } else {
        raised_ = report();
    }
    interrupting = true;
    return PyThreadState_SetAsyncExc(thread_, kind) > 0;
}

// Taken back by null, an error is gone, but before 3.13 Python's flag that one is to be raised stays up for good: every
// loop of the process looks for it, and under a profiler no function begins any more. So another is sent after it, and
// raised in code that does nothing. Handlers of signals come first, as they would be cut short by it; what they raise is
// raised again in the code that follows.
void Engine::take_back() {
    ErrorAside aside;
    interrupting = false;
    PyThreadState_SetAsyncExc(thread_, nullptr);
    static PyObject* const taken_back =
        PyErr_NewException("kumi._core.TakenBack", PyExc_BaseException, nullptr);
    static PyObject* const nothing = Py_CompileString("None", "<nothing>", Py_eval_input);
    static PyObject* const names = PyDict_New();
    if (!taken_back || !nothing || !names) return PyErr_Clear();
    Ref raised(PyErr_CheckSignals() < 0 ? take_error() : nullptr);
    PyThreadState_SetAsyncExc(thread_, taken_back);
    Ref done(PyEval_EvalCode(nothing, names, names));
    PyErr_Clear();
    if (raised && Py_AddPendingCall(raise_now, raised.get()) == 0) raised.release();
}

void Engine::annotate(Node& node, const char* doing) {
    PyObject* value = take_error();
    add_note(value, std::string(doing) + " of '" + path_of(node.object()) + "'");
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(value)), value);
    Py_DECREF(value);
}

void Engine::add_note(PyObject* error, const std::string& where, const std::string& hint) {
    if (PyObject_IsInstance(error, PyExc_Exception) != 1) return;
    std::string note = "in " + where + " at t = " + shown(agenda.now) + " s" + hint;
    Ref add(get_attribute(error, "add_note"));
    Ref done(add ? PyObject_CallFunction(add.get(), "s", note.c_str()) : nullptr);
    if (!done) PyErr_Clear();
}

// One failure comes out as itself; several of one step come out together. What is no Exception, such as
// KeyboardInterrupt, comes out as itself in any case, with the others as its context.
bool Engine::raise_failures() {
    std::vector<Ref> failures;
    failures.swap(failures_);
    forget_failures();
    std::vector<PyObject*> urgent, ordinary;
    for (const Ref& failure : failures)
        (PyObject_IsInstance(failure.get(), PyExc_Exception) == 1 ? ordinary : urgent)
            .push_back(failure.get());
    Ref together;
    if (ordinary.size() == 1) {
        together = Ref::borrow(ordinary[0]);
    } else if (!ordinary.empty()) {
        Ref list(PyList_New(0));
        for (PyObject* failure : ordinary)
            if (!list || PyList_Append(list.get(), failure) < 0) return false;
        std::string text = std::to_string(ordinary.size()) + " failures at t = " + shown(agenda.now) + " s";
        PyObject* group = PyDict_GetItemString(PyEval_GetBuiltins(), "ExceptionGroup");
        if (!group) group = PyExc_RuntimeError;  // where somebody took it out of the builtins
        together = Ref(PyObject_CallFunction(group, "sO", text.c_str(), list.get()));
        if (!together) return false;
    }
    if (!urgent.empty()) {
        if (together && together.get() != urgent[0] && PyExceptionInstance_Check(urgent[0]))
            PyException_SetContext(urgent[0], together.release());
        together = Ref::borrow(urgent[0]);
    }
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(together.get())), together.get());
    return false;
}

void Engine::suspect(const std::vector<Entry*>& imminent) {
    for (Entry* entry : imminent) {
        if (!entry) continue;
        Node& node = *static_cast<Node*>(entry);
        std::string name = path_of(node.object());
        const auto is_it = [&](const auto& known) { return known.first == name; };
        if (std::find_if(suspects_->begin(), suspects_->end(), is_it) == suspects_->end())
            suspects_->emplace_back(name, node.behaviour == task_behaviour() ? place_of(task_of(node)) : "");
    }
}

// The limit is reached: sixty-four more steps tell who takes part in the loop.
bool Engine::raise_endless() {
    const double stuck = agenda.now;
    std::vector<std::pair<std::string, std::string>> names;
    for (int i = 0; i < 64 && agenda.next_time() == stuck; ++i) {
        suspects_ = &names;
        step();
        suspects_ = nullptr;
        if (!failures_.empty()) return raise_failures();
    }
    std::string listed;
    for (std::size_t i = 0; i < names.size() && i < 12; ++i)
        listed += (i ? ", '" : "'") + names[i].first + "'";
    if (names.size() > 12) listed += " and " + std::to_string(names.size() - 12) + " more";
    if (names.size() == 1) listed += names[0].second;  // of several the places would hide the names
    raise("EndlessLoop", "time stands still at t = %s s after %llu steps; taking part: %s",
          shown(stuck).c_str(), static_cast<unsigned long long>(max_steps), listed.c_str());
    Ref error(take_error());
    std::vector<std::string> paths;
    for (const auto& [path, place] : names) paths.push_back(path);
    set_sources(error.get(), paths);
    raise_now(error.release());
    return false;
}

}  // namespace kumi
