// Planning again after a change of the map: D* Lite (Koenig & Likhachev 2002).
//
// The search runs from the goal, so what it knows stays true when the robot moves on. A change touches the cells
// around it; only where their distance to the goal becomes another is anything computed again.
#pragma once

#include "grid/search.hpp"

namespace kumi::grid {

class Replan {
  public:
    Replan(const float* costs, int rows, int columns, Cell goal, bool diagonals);
    void set_cost(Cell cell, float cost);
    bool path(Cell start, Found& found);
    bool has(Cell cell) const {
        return cell.row >= 0 && cell.row < rows && cell.column >= 0 && cell.column < columns;
    }
    float cost(Cell cell) const { return costs_[place(cell)]; }

    const int rows, columns;
    const Cell goal;
    std::size_t expanded = 0;  // cells computed by the last call of path

  private:
    struct Key {
        double first, second;
        bool operator<(const Key& other) const {
            return first != other.first ? first < other.first : second < other.second;
        }
        bool operator==(const Key&) const = default;
    };
    struct Entry {
        Key key;
        std::uint32_t place;
        bool operator<(const Entry& other) const {
            return key == other.key ? place > other.place : other.key < key;
        }
    };

    std::size_t place(Cell cell) const { return static_cast<std::size_t>(cell.row) * columns + cell.column; }
    Cell cell(std::size_t place) const {
        return {static_cast<int>(place / columns), static_cast<int>(place % columns)};
    }
    bool is_free(Cell cell) const { return has(cell) && std::isfinite(costs_[place(cell)]); }
    double price(Cell from, Cell to) const;
    double estimate(Cell cell) const;
    Key key(std::size_t at) const;
    void update(Cell cell);
    void update_around(Cell cell);
    void push(std::size_t at);
    void restart();
    void settle();
    Cell next(Cell at) const;

    std::vector<float> costs_;
    std::vector<double> known_, ahead_;  // the distance to the goal, as settled and as one move ahead says
    std::vector<Entry> heap_;
    Cell start_;
    bool diagonals_, begun_ = false;
    double floor_, moved_ = 0.0;
    Clock clock_;
};

}  // namespace kumi::grid
