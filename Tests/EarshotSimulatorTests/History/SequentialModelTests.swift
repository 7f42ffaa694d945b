import EarshotSimulator
import Testing

@Suite("Models of shared objects")
struct SequentialModelTests {
  @Test("A register has the value written last, and is exchanged if that is the expected one")
  func register() {
    let model = RegisterModel(initial: 0)
    #expect(model.initialState == 0)
    #expect(model.state(after: .read, returning: .value(3), from: 3) == 3)
    #expect(model.state(after: .read, returning: .value(2), from: 3) == nil)
    #expect(model.state(after: .write(5), returning: .written, from: 3) == 5)
    let exchange = RegisterModel<Int>.Operation.exchange(expected: 3, desired: 4)
    #expect(model.state(after: exchange, returning: .written, from: 3) == 4)
    #expect(model.state(after: exchange, returning: .written, from: 2) == nil)
    #expect(model.state(after: exchange, returning: .unequal, from: 3) == nil)
    #expect(model.state(after: exchange, returning: .unequal, from: 2) == 2)
    #expect(model.state(after: exchange, returning: nil, from: 3) == 4)
    #expect(model.state(after: exchange, returning: nil, from: 2) == 2)
    #expect(model.state(after: .write(5), returning: .value(5), from: 3) == nil)
    #expect(model.isReadOnly(.read) && !model.isReadOnly(.write(1)) && !model.isReadOnly(exchange))
  }

  @Test("A counter counts, and returns the number before")
  func counter() {
    let model = CounterModel(initial: 7)
    #expect(model.initialState == 7)
    #expect(model.state(after: .add(2), returning: .added, from: 3) == 5)
    #expect(model.state(after: .add(1), returning: nil, from: .max) == .min)
    #expect(model.state(after: .fetchAndAdd(2), returning: .value(3), from: 3) == 5)
    #expect(model.state(after: .fetchAndAdd(2), returning: .value(5), from: 3) == nil)
    #expect(model.state(after: .fetchAndAdd(2), returning: nil, from: 3) == 5)
    #expect(model.state(after: .read, returning: .value(4), from: 3) == nil)
    #expect(model.isReadOnly(.read) && !model.isReadOnly(.add(0)))
  }

  @Test("A set contains what was inserted and not removed since")
  func set() {
    let model = SetModel<String>()
    #expect(model.initialState == false)
    #expect(model.state(after: .insert("a"), returning: .absent, from: false) == true)
    #expect(model.state(after: .insert("a"), returning: .present, from: false) == nil)
    #expect(model.state(after: .insert("a"), returning: .done, from: true) == true)
    #expect(model.state(after: .remove("a"), returning: .present, from: true) == false)
    #expect(model.state(after: .remove("a"), returning: nil, from: true) == false)
    #expect(model.state(after: .contains("a"), returning: .absent, from: true) == nil)
    #expect(model.state(after: .contains("a"), returning: .present, from: true) == true)
    #expect(model.key(of: .remove("a")) == "a")
    #expect(model.isReadOnly(.contains("a")) && !model.isReadOnly(.insert("a")))
  }

  @Test("A map has the value that was set last for a key, or none")
  func map() {
    let model = MapModel<String, Int>()
    let exchange = MapModel<String, Int>.Operation.exchange("a", expected: nil, desired: 4)
    #expect(model.initialState == nil)
    #expect(model.state(after: .get("a"), returning: .value(nil), from: nil) == .some(nil))
    #expect(model.state(after: .get("a"), returning: .value(2), from: 3) == .none)
    #expect(model.state(after: .set("a", nil), returning: .written, from: 3) == .some(nil))
    #expect(model.state(after: exchange, returning: .written, from: nil) == .some(4))
    #expect(model.state(after: exchange, returning: .written, from: 3) == .none)
    #expect(model.state(after: exchange, returning: .unequal, from: 3) == .some(3))
    #expect(model.state(after: exchange, returning: .unequal, from: nil) == .none)
    #expect(model.key(of: exchange) == "a")
    #expect(model.isReadOnly(.get("a")) && !model.isReadOnly(exchange))
  }

  @Test("A queue gives what was enqueued first, and nothing when it is empty")
  func queue() {
    let model = QueueModel<Int>()
    #expect(model.initialState == [])
    #expect(model.state(after: .enqueue(3), returning: .enqueued, from: [1, 2]) == [1, 2, 3])
    #expect(model.state(after: .dequeue, returning: .element(1), from: [1, 2]) == [2])
    #expect(model.state(after: .dequeue, returning: .element(2), from: [1, 2]) == nil)
    #expect(model.state(after: .dequeue, returning: .element(nil), from: []) == [])
    #expect(model.state(after: .dequeue, returning: .element(nil), from: [1]) == nil)
    #expect(model.state(after: .dequeue, returning: nil, from: [1, 2]) == [2])
  }

  @Test("A lock is taken when it is free, and given back by the client that holds it")
  func mutex() {
    let model = MutexModel()
    #expect(model.initialState == nil)
    #expect(model.state(after: .lock("a"), returning: .locked, from: nil) == .some("a"))
    #expect(model.state(after: .lock("a"), returning: .locked, from: "b") == .none)
    #expect(model.state(after: .tryLock("a"), returning: .busy, from: "b") == .some("b"))
    #expect(model.state(after: .tryLock("a"), returning: .busy, from: nil) == .none)
    #expect(model.state(after: .tryLock("a"), returning: nil, from: "b") == .some("b"))
    #expect(model.state(after: .tryLock("a"), returning: nil, from: nil) == .some("a"))
    #expect(model.state(after: .unlock("a"), returning: .unlocked, from: "a") == .some(nil))
    #expect(model.state(after: .unlock("a"), returning: .unlocked, from: "b") == .none)
  }
}
