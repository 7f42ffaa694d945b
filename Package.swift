// swift-tools-version: 6.2
import PackageDescription

// For Benchmarks/FuzzedExploration, FuzzedScenario and FuzzedDecoders alone: with the folder of clang's libraries in EARSHOT_FUZZ, all
// code tells libFuzzer where it is.
let fuzzer = Context.environment["EARSHOT_FUZZ"]
#if arch(arm64)
  let processor = "aarch64"
#else
  let processor = "x86_64"
#endif
// Smaller code takes a seventh less time to instrument, and runs a tenth fewer inputs.
let instrumented: [SwiftSetting] =
  fuzzer == nil ? [] : [.unsafeFlags(["-sanitize=fuzzer", "-Osize"]), .define("EARSHOT_FUZZ")]
let fuzzerLibrary: [LinkerSetting] =
  fuzzer.map {
    [
      .unsafeFlags(["\($0)/lib/linux/libclang_rt.fuzzer_no_main-\(processor).a"]),
      .linkedLibrary("stdc++"), .linkedLibrary("m"),
    ]
  } ?? []

let house: [SwiftSetting] =
  instrumented + [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
// As in the package of whoever copies an example.
let plain: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
let pure: [SwiftSetting] = house + [.strictMemorySafety()]

let sanitizing = Context.environment["EARSHOT_SANITIZE"]?.split(separator: " ")
// Under sanitizers the optimizer costs more than it saves, except in EarshotCore, where decoders
// spend their time, and in EarshotSimulator, where worlds do.
let unhurried: [SwiftSetting] =
  house + (sanitizing == nil ? [] : [.unsafeFlags(["-Onone"], .when(configuration: .release))])

// Tests in a release build ask what the optimized product does; not optimized themselves, they take half the time to build.
let tests: [SwiftSetting] =
  house + [
    .unsafeFlags(
      [
        "-Onone", "-no-whole-module-optimization", "-enable-batch-mode", "-num-threads", "0",
        "-no-emit-module-separately",
      ],
      .when(configuration: .release)),
    .define("EARSHOT_OPTIMIZED", .when(configuration: .release)),
  ]

let package = Package(
  name: "Earshot",
  platforms: [.macOS("26.0"), .iOS("26.0")],
  products: [
    .library(name: "Earshot", targets: ["Earshot"]),
    .library(name: "EarshotPOSIX", targets: ["EarshotPOSIX"]),
    .library(name: "EarshotSimulator", targets: ["EarshotSimulator"]),
    .library(name: "EarshotTesting", targets: ["EarshotTesting"]),
    .library(name: "EarshotProcess", targets: ["EarshotProcess"]),
    .library(name: "EarshotScenario", targets: ["EarshotScenario"]),
    .executable(name: "earshot", targets: ["EarshotCLI"]),
  ],
  targets: [
    // What decides.
    .target(name: "EarshotCore", swiftSettings: pure),
    // The boundary, and what stands behind it.
    .target(name: "CEarshot"),
    .target(name: "EarshotNetwork", dependencies: ["EarshotCore"], swiftSettings: house),
    .target(name: "CEarshotSimulator"),
    .target(
      name: "EarshotSimulator",
      dependencies: ["CEarshotSimulator", "EarshotCore", "EarshotNetwork"],
      swiftSettings: house),
    .target(
      name: "EarshotPOSIX", dependencies: ["EarshotCore", "EarshotNetwork", "CEarshot"],
      swiftSettings: unhurried),
    .target(
      name: "EarshotTesting", dependencies: ["EarshotSimulator", "EarshotScenario"],
      swiftSettings: house),
    .target(name: "CEarshotProcess", dependencies: ["CEarshotSimulator"]),
    .target(
      name: "EarshotProcess", dependencies: ["EarshotSimulator", "CEarshotProcess"],
      swiftSettings: house),
    // What acts.
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "openssl",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .target(name: "CEarshotTLS", dependencies: ["COpenSSL"]),
    .target(
      name: "EarshotTLS", dependencies: ["EarshotCore", "CEarshotTLS", "COpenSSL"],
      swiftSettings: unhurried),
    .target(
      name: "Earshot", dependencies: ["EarshotCore", "EarshotNetwork", "EarshotTLS"],
      swiftSettings: unhurried),
    // What stands on top.
    .target(name: "CEarshotScenario"),
    .target(
      name: "EarshotScenario",
      dependencies: [
        "CEarshotScenario", "EarshotCore", "EarshotNetwork", "EarshotSimulator", "EarshotTLS",
        "Earshot",
      ],
      swiftSettings: unhurried),
    .target(
      name: "EarshotCommandLine",
      dependencies: [
        "CEarshot", "EarshotCore", "EarshotNetwork", "EarshotSimulator", "Earshot",
        "EarshotScenario",
      ],
      swiftSettings: house),
    .target(name: "CEarshotCLI"),
    .executableTarget(
      name: "EarshotCLI",
      dependencies: ["CEarshotCLI", "EarshotCommandLine", "EarshotNetwork", "EarshotPOSIX"],
      swiftSettings: house),
    // How it is used.
    .executableTarget(
      name: "FirstExample", dependencies: ["Earshot", "EarshotPOSIX"],
      path: "Sources/Examples/First", swiftSettings: plain),
    .executableTarget(
      name: "ChatExample", dependencies: ["Earshot", "EarshotPOSIX"], path: "Sources/Examples/Chat",
      swiftSettings: plain),
    .executableTarget(
      name: "GatheringExample", dependencies: ["Earshot", "EarshotPOSIX"],
      path: "Sources/Examples/Gathering", swiftSettings: plain),
    .executableTarget(
      name: "GameExample", dependencies: ["Earshot", "EarshotPOSIX"], path: "Sources/Examples/Game",
      swiftSettings: plain),
    .executableTarget(
      name: "DropExample", dependencies: ["Earshot", "EarshotPOSIX"],
      path: "Sources/Examples/Drop", swiftSettings: plain),
    .target(
      name: "Hello", dependencies: ["Earshot"], path: "Sources/Examples/Hello/Sources/Hello",
      swiftSettings: plain),
    .executableTarget(
      name: "Simulated", dependencies: ["Hello", "EarshotSimulator"],
      path: "Sources/Examples/Hello/Sources/Simulated", swiftSettings: plain),
    .executableTarget(
      name: "Sockets", dependencies: ["Hello", "EarshotPOSIX"],
      path: "Sources/Examples/Hello/Sources/Sockets", swiftSettings: plain),
    .target(
      name: "Timekeeper", dependencies: ["Hello", "Earshot"],
      path: "Sources/Examples/Timekeeper/Sources/Timekeeper", swiftSettings: plain),
    .executableTarget(
      name: "SimulatedTimekeeper", dependencies: ["Timekeeper", "EarshotProcess"],
      path: "Sources/Examples/Timekeeper/Sources/SimulatedTimekeeper", swiftSettings: plain),
    .testTarget(
      name: "HelloTests", dependencies: ["Hello", "EarshotTesting"],
      path: "Sources/Examples/Hello/Tests/HelloTests", swiftSettings: plain),
    .target(
      name: "ShoppingList", dependencies: ["Earshot"],
      path: "Simulations/shopping-list/Sources/ShoppingList", swiftSettings: plain),
    .testTarget(
      name: "ShoppingListTests", dependencies: ["ShoppingList", "EarshotTesting"],
      path: "Simulations/shopping-list/Tests/ShoppingListTests", swiftSettings: plain),
    .testTarget(
      name: "ExamplesTests",
      dependencies: [
        "Hello", "ChatExample", "DropExample", "GatheringExample", "GameExample", "Earshot",
        "EarshotCore", "EarshotPOSIX", "EarshotSimulator", "EarshotTesting",
      ],
      swiftSettings: plain),
    // How we know.
    .target(
      name: "TestKit",
      dependencies: ["CThreadSanitizer", "EarshotCore", "EarshotNetwork", "EarshotSimulator"],
      path: "Tests/TestKit", swiftSettings: house),
    .target(name: "CThreadSanitizer", path: "Tests/CThreadSanitizer"),
    .target(
      name: "PlantedBugKit", dependencies: ["EarshotCore", "EarshotNetwork", "EarshotSimulator"],
      path: "Tests/PlantedBugKit", swiftSettings: unhurried),
    .testTarget(
      name: "PlantedBugTests", dependencies: ["EarshotSimulator", "PlantedBugKit"],
      swiftSettings: tests),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "EarshotCore", "EarshotNetwork", "EarshotSimulator", "EarshotTLS", "Earshot",
        "EarshotScenario",
      ],
      path: "Tests/FuzzTargets", exclude: ["Corpora"], swiftSettings: house),
    .testTarget(
      name: "FuzzTargetsTests", dependencies: ["FuzzTargets", "TestKit"], swiftSettings: tests),
    .target(
      name: "ScreenKit", dependencies: ["EarshotCommandLine"], path: "Tests/ScreenKit",
      swiftSettings: house),
    .testTarget(
      name: "EarshotCoreTests", dependencies: ["EarshotCore", "TestKit"], swiftSettings: tests),
    .testTarget(
      name: "EarshotTLSTests", dependencies: ["COpenSSL", "EarshotCore", "EarshotTLS", "TestKit"],
      swiftSettings: tests),
    .testTarget(
      name: "EarshotSimulatorTests",
      dependencies: ["EarshotCore", "EarshotNetwork", "EarshotSimulator", "TestKit"],
      exclude: ["linux-tcp.py"], swiftSettings: tests),
    .testTarget(
      name: "EarshotTestingTests",
      dependencies: ["EarshotTesting", "Earshot", "EarshotCore", "EarshotSimulator"],
      swiftSettings: tests),
    .testTarget(
      name: "EarshotPOSIXTests",
      dependencies: ["EarshotCore", "EarshotNetwork", "EarshotPOSIX", "TestKit"],
      swiftSettings: tests),
    .testTarget(
      name: "ConformanceTests",
      dependencies: [
        "EarshotCore", "EarshotNetwork", "EarshotPOSIX", "EarshotSimulator", "TestKit",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "EarshotTests",
      dependencies: [
        "EarshotCore", "EarshotNetwork", "EarshotPOSIX", "EarshotSimulator", "EarshotTLS",
        "Earshot",
        "TestKit",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "EarshotCommandLineTests",
      dependencies: [
        "EarshotCore", "EarshotNetwork", "EarshotSimulator", "Earshot", "EarshotScenario",
        "EarshotCommandLine", "EarshotTesting", "ScreenKit", "TestKit",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "EarshotScenarioTests",
      dependencies: ["EarshotCore", "EarshotScenario", "EarshotSimulator", "TestKit"],
      swiftSettings: tests),
    .target(name: "CCapturedSubject", path: "Tests/CCapturedSubject"),
    .executableTarget(
      name: "CapturedSubject",
      dependencies: ["CCapturedSubject", "CEarshot", "Earshot", "EarshotPOSIX", "EarshotProcess"],
      path: "Tests/CapturedSubject", swiftSettings: house),
    .executableTarget(
      name: "SeededSubject", dependencies: ["Earshot", "EarshotSimulator"],
      path: "Tests/SeededSubject", swiftSettings: house),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "CEarshot", "CEarshotCLI", "Earshot", "EarshotPOSIX", "EarshotCLI", "EarshotCommandLine",
        "ScreenKit",
        "Simulated", "FirstExample", "ChatExample", "GatheringExample", "GameExample",
        "DropExample",
      ],
      exclude: [
        "ask-again.py", "flood.py", "avahi-in-namespace.sh", "avahi-publish-text.py",
        "mdns-wire.py", "read-perfetto.py", "run-manifest.py", "strangers.py", "zeroconf-peer.py",
      ],
      swiftSettings: tests),
    // How fast it is.
    .target(
      name: "BenchmarkKit", dependencies: ["CEarshot"], path: "Benchmarks/BenchmarkKit",
      swiftSettings: unhurried),
    .executableTarget(
      name: "FrameThroughput", dependencies: ["BenchmarkKit", "EarshotCore"],
      path: "Benchmarks/FrameThroughput", swiftSettings: house),
    .executableTarget(
      name: "HistoryCheck", dependencies: ["BenchmarkKit", "EarshotSimulator", "TestKit"],
      path: "Benchmarks/HistoryCheck", swiftSettings: house),
    .executableTarget(
      name: "SimulatedCrowd", dependencies: ["BenchmarkKit", "Earshot", "EarshotSimulator"],
      path: "Benchmarks/SimulatedCrowd", swiftSettings: house),
    .executableTarget(
      name: "ScheduleRaces", dependencies: ["BenchmarkKit", "EarshotSimulator", "TestKit"],
      path: "Benchmarks/ScheduleRaces", swiftSettings: house),
    .executableTarget(
      name: "Calibration", dependencies: ["BenchmarkKit", "EarshotSimulator"],
      path: "Benchmarks/Calibration", swiftSettings: house),
    .executableTarget(
      name: "PlantedBugs", dependencies: ["BenchmarkKit", "EarshotSimulator", "PlantedBugKit"],
      path: "Benchmarks/PlantedBugs", swiftSettings: house),
    .target(name: "CFuzzer", path: "Benchmarks/CFuzzer"),
    .target(
      name: "FuzzerKit", dependencies: ["CFuzzer", "EarshotSimulator"],
      path: "Benchmarks/FuzzerKit", swiftSettings: house),
    .executableTarget(
      name: "FuzzedExploration",
      dependencies: ["BenchmarkKit", "EarshotSimulator", "FuzzerKit", "PlantedBugKit", "TestKit"],
      path: "Benchmarks/FuzzedExploration", swiftSettings: house, linkerSettings: fuzzerLibrary),
    .executableTarget(
      name: "CrowdedHall",
      dependencies: ["BenchmarkKit", "Earshot", "EarshotSimulator"],
      path: "Benchmarks/CrowdedHall", swiftSettings: house),
    .target(
      name: "LoopbackPeers", dependencies: ["BenchmarkKit", "Earshot", "EarshotPOSIX"],
      path: "Benchmarks/LoopbackPeers", swiftSettings: house),
    .executableTarget(
      name: "LinkThroughput", dependencies: ["BenchmarkKit", "Earshot", "LoopbackPeers"],
      path: "Benchmarks/LinkThroughput", swiftSettings: house),
    .executableTarget(
      name: "DatagramThroughput", dependencies: ["BenchmarkKit", "Earshot", "LoopbackPeers"],
      path: "Benchmarks/DatagramThroughput", swiftSettings: house),
    .executableTarget(
      name: "LinkRoundTrip", dependencies: ["BenchmarkKit", "Earshot", "LoopbackPeers"],
      path: "Benchmarks/LinkRoundTrip", swiftSettings: house),
    .executableTarget(
      name: "StreamThroughput", dependencies: ["BenchmarkKit", "Earshot", "LoopbackPeers"],
      path: "Benchmarks/StreamThroughput", swiftSettings: house),
    .executableTarget(
      name: "ResourceThroughput",
      dependencies: ["BenchmarkKit", "Earshot", "EarshotSimulator", "LoopbackPeers"],
      path: "Benchmarks/ResourceThroughput", swiftSettings: house),
    .executableTarget(
      name: "Meeting", dependencies: ["BenchmarkKit", "Earshot", "LoopbackPeers"],
      path: "Benchmarks/Meeting", swiftSettings: house),
  ]
)

if fuzzer != nil {
  package.targets += [
    .executableTarget(
      name: "FuzzedScenario", dependencies: ["EarshotScenario", "FuzzerKit"],
      path: "Benchmarks/FuzzedScenario", swiftSettings: house, linkerSettings: fuzzerLibrary),
    .executableTarget(
      name: "FuzzedDecoders", dependencies: ["FuzzTargets", "FuzzerKit"],
      path: "Benchmarks/FuzzedDecoders", swiftSettings: house, linkerSettings: fuzzerLibrary),
  ]
}

// For .ci/sanitize alone: the tests that use threads or memory of C, with what they need. "all"
// beside the sanitizer's name keeps every test of these targets.
if let words = sanitizing {
  var kept: Set = ["ConformanceTests", "EarshotPOSIXTests", "EarshotTLSTests"]
  if words.contains("thread") { kept.formUnion(["EarshotTests", "EarshotTestingTests"]) }
  if fuzzer != nil { kept.formUnion(["FuzzedExploration", "FuzzedScenario", "FuzzedDecoders"]) }
  if !words.contains("all") {
    package.targets.first { $0.name == "EarshotTests" }?.sources = [
      "Sockets", "ChangingHost.swift", "EventOrder.swift", "Ground.swift", "Told.swift",
      "Links/ScriptedDialler.swift", "Released/Couple.swift", "Released/Held.swift", "Room.swift",
      "Streams/StreamPair.swift", "Trust/Newcomer.swift",
    ]
  }
  var next = kept
  while !next.isEmpty {
    let needed = package.targets.filter { next.contains($0.name) }.flatMap(\.dependencies)
    next = []
    for case .byNameItem(let name, _) in needed where kept.insert(name).inserted {
      next.insert(name)
    }
  }
  package.products = []
  package.targets.removeAll { !kept.contains($0.name) }
}
