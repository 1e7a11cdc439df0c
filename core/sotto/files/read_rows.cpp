#include "sotto/files/read_rows.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "sotto/base/threads.h"
#include "sotto/files/text_reader.h"

namespace sotto {
namespace {

/// A piece on its way: filled by the caller, parsed by anyone, delivered by the caller.
struct Slot {
  enum class State { waiting, busy, done };
  TextPiece piece;
  std::unique_ptr<PieceParser> parser;
  std::unique_ptr<RowWork> work;
  State state = State::waiting;
  PieceParser::Step step = PieceParser::Step::end;  // how the parsing ended; `row`: the work is full
  bool failed = false;

  void parse(std::uint64_t lines_before) {
    RawRow row;
    parser->start(piece, lines_before);
    work->begin();
    do {
      step = parser->next(row);
      if (step == PieceParser::Step::row) work->take(row);
    } while (step == PieceParser::Step::row && !work->full());
    work->end();
  }
};

class PieceRunner {
 public:
  PieceRunner(TextReader& reader, unsigned threads, const MakeRowWork& make) : reader_(reader), slots_(2 * threads) {
    for (Slot& slot : slots_) {
      slot.parser = reader.new_parser();
      slot.work = make();
    }
    lines_ = reader.take_rest(slots_[0].piece);
    put_in_line(slots_[0]);
    if (may_read()) start(threads - 1);  // one piece needs no help
  }
  PieceRunner(const PieceRunner&) = delete;
  PieceRunner& operator=(const PieceRunner&) = delete;
  ~PieceRunner() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
  }

  void run() {
    while (true) {
      while (in_line_ < slots_.size() && may_read()) read_piece();
      if (in_line_ == 0) break;
      if (!parse_until_done(first())) continue;
      deliver_first();
    }
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  Slot& nth(std::size_t place) noexcept { return slots_[(head_ + place) % slots_.size()]; }
  Slot& first() noexcept { return nth(0); }
  bool may_read() const noexcept { return !ended_ && !thrown_; }

  void put_in_line(Slot& slot) {
    ended_ = slot.piece.last() || slot.piece.too_long();
    const std::lock_guard lock(mutex_);
    slot.state = Slot::State::waiting;
    slot.failed = false;
    ++in_line_;
  }
  /// What a source throws is thrown when the pieces before it have been delivered.
  void read_piece() {
    Slot& slot = nth(in_line_);
    try {
      reader_.pieces().next(slot.piece);
    } catch (...) {
      thrown_ = std::current_exception();
      return;
    }
    put_in_line(slot);
    changed_.notify_one();
  }

  /// The first that waits is taken for parsing; null if none does. Under the lock.
  Slot* take_waiting() {
    for (std::size_t i = 0; i < in_line_; ++i) {
      if (nth(i).state != Slot::State::waiting) continue;
      nth(i).state = Slot::State::busy;
      return &nth(i);
    }
    return nullptr;
  }
  void parse_taken(Slot& slot, std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    try {
      slot.parse(0);
    } catch (...) {
      slot.failed = true;  // found again in the order of the file
    }
    lock.lock();
    slot.state = Slot::State::done;
    done_.notify_one();
  }
  /// True once it is done; false after one piece was parsed here, when it may be time to read.
  bool parse_until_done(Slot& slot) {
    std::unique_lock lock(mutex_);
    if (slot.state == Slot::State::done) return true;
    if (Slot* mine = take_waiting()) {
      parse_taken(*mine, lock);
      return false;
    }
    done_.wait(lock, [&] { return slot.state == Slot::State::done; });
    return true;
  }

  void deliver_first() {
    Slot& slot = first();
    if (slot.failed) {
      parse_here(slot);
    } else {
      slot.work->deliver(lines_);
      lines_ += slot.parser->lines();
    }
    while (slot.step == PieceParser::Step::row) {
      slot.piece.keep(slot.parser->unread());
      parse_here(slot);
    }
    if (slot.step == PieceParser::Step::open) return carry_over(slot);
    leave();
  }
  /// In the order of the file, with the true numbers of lines.
  void parse_here(Slot& slot) {
    slot.parse(lines_);
    slot.work->deliver(0);
    lines_ = slot.parser->lines();
  }
  /// The row that is open at the end belongs to the next piece, which is parsed again with it.
  void carry_over(Slot& slot) {
    if (in_line_ == 1 && may_read()) read_piece();
    if (in_line_ == 1) return leave();
    Slot& following = nth(1);
    while (!parse_until_done(following)) {
    }
    slot.piece.keep(slot.parser->unread());
    following.piece.prepend(slot.piece);
    following.failed = true;
    leave();
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    head_ = (head_ + 1) % slots_.size();
    --in_line_;
  }

  /// Results do not depend on how many there are: where the system gives no more threads, fewer do.
  void start(unsigned count) {
    const WithoutSignals quiet;
    try {
      for (unsigned i = 0; i < count; ++i) workers_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      return;
    }
  }
  void work() {
    std::unique_lock lock(mutex_);
    while (!stopped_) {
      if (Slot* mine = take_waiting()) {
        parse_taken(*mine, lock);
      } else {
        changed_.wait(lock);
      }
    }
  }

  TextReader& reader_;
  std::vector<Slot> slots_;  // a ring: in_line_ of them from head_ on are on their way
  std::size_t head_ = 0;
  std::size_t in_line_ = 0;
  std::uint64_t lines_ = 0;  // before the first in line
  bool ended_ = false;
  std::exception_ptr thrown_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable done_;
  bool stopped_ = false;
  std::vector<std::jthread> workers_;
};

/// Readers of other shapes: some rows at a time.
void read_in_turn(RowReader& reader, RowWork& work) {
  constexpr std::size_t kRows = 4096;
  RawRow row;
  bool more = true;
  while (more) {
    work.begin();
    for (std::size_t i = 0; i < kRows && !work.full(); ++i) {
      more = reader.next(row);
      if (!more) break;
      work.take(row);
    }
    work.end();
    work.deliver(0);
  }
}

}  // namespace

void read_rows(RowReader& reader, unsigned threads, const MakeRowWork& make) {
  auto* text = dynamic_cast<TextReader*>(&reader);
  if (text == nullptr) return read_in_turn(reader, *make());
  PieceRunner(*text, std::max(1U, allowed_threads(threads)), make).run();
}

}  // namespace sotto
