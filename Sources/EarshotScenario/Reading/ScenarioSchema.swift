import Earshot
import EarshotSimulator

/// The scenario format as a JSON Schema, for editors.
public enum ScenarioSchema {
  /// The schema, of the draft 2020-12.
  ///
  /// A scenario that the reader takes is valid; what a schema cannot say, such as that a peer exists, the reader says.
  public static var text: String {
    (try? JSON5Parser.parse(plainText))?.allowingVariables.json ?? ""
  }

  /// The schema of a scenario without variables and repetitions.
  private static var plainText: String {
    """
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "Earshot scenario",
      "type": "object",
      "additionalProperties": false,
      "anyOf": [ { "required": ["name", "duration", "peers"] }, { "required": ["include"] } ],
      "properties": {
        "include": { "anyOf": [ { "type": "string" }, { "type": "array", "items": { "type": "string" } } ] },
        "variables": { "type": "object" },
        "name": { "type": "string", "minLength": 1, "maxLength": 80 },
        "description": { "type": "string", "maxLength": 4000 },
        "duration": { "$ref": "#/$defs/duration" },
        "seed": { "type": "integer", "minimum": 0 },
        "service": { "type": "string", "pattern": "^[A-Za-z0-9-]{1,15}$" },
        "schedule": { "anyOf": [
          { "enum": ["fifo", "random", "pct", "urw"] },
          { "type": "string", "pattern": "^(random|pct|urw)#(0|[1-9][0-9]{0,19})$" },
          { "type": "array", "items": { "type": "integer", "minimum": 0 } } ] },
        "buggify": { "anyOf": [ { "type": "boolean" }, { "type": "array", "items": {
          "enum": [\(BuggifyPoint.allCases.map(\.rawValue.quotedForJSON).joined(separator: ", "))] } } ] },
        "secure": { "type": "boolean" },
        "reproduces": { "type": "string" },
        "peers": { "type": "array", "items": { "anyOf": [
          { "$ref": "#/$defs/name" }, { "$ref": "#/$defs/peer" } ] } },
        "groups": { "type": "object", "additionalProperties": { "$ref": "#/$defs/peers" } },
        "links": { "$ref": "#/$defs/links" },
        "faults": { "anyOf": [ { "$ref": "#/$defs/fault" },
          { "type": "array", "items": { "$ref": "#/$defs/fault" } } ] },
        "randomFaults": { "$ref": "#/$defs/randomFaults" },
        "converges": { "type": "object", "additionalProperties": false, "required": ["within"],
          "properties": { "within": { "$ref": "#/$defs/duration" } } },
        "expect": { "anyOf": [ { "$ref": "#/$defs/expectation" },
          { "type": "array", "items": { "$ref": "#/$defs/expectation" } } ] }
      },
      "$defs": {
        "variable": { "type": "string", "pattern": "[$]" },
        "repetition": { "type": "object", "required": ["repeat"], "properties": {
          "repeat": { "type": "object" } } },
    \(values),
    \(peers),
    \(network),
    \(expectations)
      }
    }

    """
  }

  private static let values = """
        "duration": { "type": "string", "pattern": "^[0-9]+([.][0-9]+)? *(ns|us|µs|ms|s|m|h)$" },
        "ratio": { "anyOf": [ { "type": "number", "minimum": 0, "maximum": 1 },
          { "type": "string", "pattern": "^[0-9]+([.][0-9]+)? *%$" } ] },
        "size": { "anyOf": [ { "type": "integer", "minimum": 0 },
          { "type": "string", "pattern": "^[0-9]+([.][0-9]+)? *(B|KiB|MiB|GiB)$" } ] },
        "rate": { "type": "string", "pattern": "^[0-9]+([.][0-9]+)? *(bit/s|kbit/s|Mbit/s|Gbit/s)$" },
        "name": { "type": "string", "minLength": 1, "maxLength": 48 },
        "peers": { "anyOf": [ { "$ref": "#/$defs/name" },
          { "type": "array", "items": { "$ref": "#/$defs/name" } } ] },
        "range": { "type": "array", "items": { "$ref": "#/$defs/duration" } },
        "sides": { "type": "array", "items": { "$ref": "#/$defs/peers" } },
        "count": { "type": "integer", "minimum": 0 }
    """

  private static let peers = """
        "peer": { "type": "object", "additionalProperties": false, "required": ["name"], "properties": {
          "name": { "$ref": "#/$defs/name" },
          "count": { "type": "integer", "minimum": 1, "maximum": 10000 },
          "start": { "$ref": "#/$defs/duration" },
          "advertise": { "anyOf": [ { "type": "boolean" }, { "$ref": "#/$defs/service" },
            { "type": "array", "items": { "$ref": "#/$defs/service" } } ] },
          "browse": { "anyOf": [ { "type": "boolean" }, { "$ref": "#/$defs/serviceType" },
            { "type": "array", "items": { "$ref": "#/$defs/serviceType" } } ] },
          "update": { "anyOf": [ { "$ref": "#/$defs/update" },
            { "type": "array", "items": { "$ref": "#/$defs/update" } } ] },
          "rename": { "anyOf": [ { "$ref": "#/$defs/rename" },
            { "type": "array", "items": { "$ref": "#/$defs/rename" } } ] },
          "info": { "$ref": "#/$defs/info" },
          "accept": { "anyOf": [ { "enum": ["always", "never", "decline"] }, { "$ref": "#/$defs/accept" } ] },
          "invite": { "anyOf": [ { "$ref": "#/$defs/invitation" },
            { "type": "array", "items": { "$ref": "#/$defs/invitation" } } ] },
          "session": { "anyOf": [ { "$ref": "#/$defs/session" },
            { "type": "array", "items": { "$ref": "#/$defs/session" } } ] },
          "send": { "anyOf": [ { "$ref": "#/$defs/workload" },
            { "type": "array", "items": { "$ref": "#/$defs/workload" } } ] },
          "stream": { "anyOf": [ { "$ref": "#/$defs/stream" },
            { "type": "array", "items": { "$ref": "#/$defs/stream" } } ] },
          "readStreams": { "$ref": "#/$defs/streamReading" },
          "file": { "anyOf": [ { "$ref": "#/$defs/file" },
            { "type": "array", "items": { "$ref": "#/$defs/file" } } ] },
          "receiveFiles": { "$ref": "#/$defs/fileReceiving" },
          "echo": { "type": "boolean" }, "suspension": { "enum": ["prepared", "unprepared"] },
          "read": { "$ref": "#/$defs/reading" },
          "disconnect": { "$ref": "#/$defs/times" }, "rejoin": { "$ref": "#/$defs/times" },
          "remove": { "$ref": "#/$defs/times" }, "stop": { "$ref": "#/$defs/times" } } },
        "serviceType": { "type": "string", "pattern": "^[A-Za-z0-9-]{1,15}$" },
        "info": { "type": "object", "additionalProperties": { "type": "string" } },
        "service": { "anyOf": [ { "$ref": "#/$defs/serviceType" },
          { "type": "object", "additionalProperties": false, "required": ["service"], "properties": {
            "service": { "$ref": "#/$defs/serviceType" }, "info": { "$ref": "#/$defs/info" } } } ] },
        "update": { "type": "object", "additionalProperties": false, "required": ["at"], "properties": {
          "at": { "$ref": "#/$defs/duration" }, "info": { "$ref": "#/$defs/info" },
          "service": { "$ref": "#/$defs/serviceType" } } },
        "rename": { "type": "object", "additionalProperties": false, "required": ["at", "to"], "properties": {
          "at": { "$ref": "#/$defs/duration" }, "to": { "type": "string", "minLength": 1 } } },
        "accept": { "type": "object", "additionalProperties": false, "properties": {
          "after": { "$ref": "#/$defs/duration" }, "chance": { "$ref": "#/$defs/ratio" },
          "answer": { "enum": ["accept", "decline", "release", "both"] },
          "cancel": { "$ref": "#/$defs/duration" } } },
        "invitation": { "anyOf": [ { "$ref": "#/$defs/name" },
          { "type": "object", "additionalProperties": false, "required": ["who"], "properties": {
            "who": { "$ref": "#/$defs/name" }, "at": { "$ref": "#/$defs/duration" },
            "timeout": { "$ref": "#/$defs/duration" }, "context": { "type": "string" },
            "again": { "$ref": "#/$defs/duration" }, "session": { "$ref": "#/$defs/name" },
            "cancel": { "$ref": "#/$defs/duration" } } } ] },
        "session": { "type": "object", "additionalProperties": false, "properties": {
          "name": { "$ref": "#/$defs/name" }, "patience": { "$ref": "#/$defs/duration" },
          "capacity": { "type": "integer", "minimum": 2, "maximum": 1024 },
          "messageBytesMax": { "$ref": "#/$defs/size" }, "outboxBytesMax": { "$ref": "#/$defs/size" },
          "windowBytes": { "$ref": "#/$defs/size" } } },
        "workload": { "type": "object", "additionalProperties": false, "properties": {
          "to": { "$ref": "#/$defs/peers" }, "count": { "type": "integer", "minimum": 1 },
          "size": { "$ref": "#/$defs/size" }, "every": { "$ref": "#/$defs/duration" },
          "reliable": { "type": "boolean" }, "cancel": { "$ref": "#/$defs/duration" },
          "start": { "$ref": "#/$defs/duration" }, "session": { "$ref": "#/$defs/name" } } },
        "stream": { "type": "object", "additionalProperties": false, "properties": {
          "to": { "$ref": "#/$defs/peers" }, "name": { "$ref": "#/$defs/streamName" },
          "count": { "type": "integer", "minimum": 1, "maximum": 1024 },
          "bytes": { "$ref": "#/$defs/size" }, "piece": { "$ref": "#/$defs/size" },
          "every": { "$ref": "#/$defs/duration" }, "start": { "$ref": "#/$defs/duration" },
          "priority": { "enum": [\(priorities)] },
          "answer": { "$ref": "#/$defs/size" }, "finish": { "type": "boolean" },
          "wait": { "type": "boolean" }, "cancel": { "$ref": "#/$defs/duration" },
          "reset": { "$ref": "#/$defs/duration" }, "session": { "$ref": "#/$defs/name" } } },
        "streamName": { "type": "string", "minLength": 1, "maxLength": 64 },
        "streamReading": { "type": "object", "additionalProperties": false, "properties": {
          "piece": { "$ref": "#/$defs/size" }, "exact": { "type": "boolean" },
          "every": { "$ref": "#/$defs/duration" }, "pause": { "$ref": "#/$defs/range" },
          "cancel": { "$ref": "#/$defs/duration" }, "stop": { "$ref": "#/$defs/size" } } },
        "file": { "type": "object", "additionalProperties": false, "properties": {
          "to": { "$ref": "#/$defs/peers" }, "name": { "$ref": "#/$defs/fileName" },
          "bytes": { "$ref": "#/$defs/size" }, "start": { "$ref": "#/$defs/duration" },
          "pause": { "$ref": "#/$defs/range" }, "cancel": { "$ref": "#/$defs/duration" },
          "session": { "$ref": "#/$defs/name" } } },
        "fileName": { "type": "string", "minLength": 1, "maxLength": 200 },
        "fileReceiving": { "type": "object", "additionalProperties": false, "properties": {
          "answer": { "enum": [\(fileAnswers)] },
          "after": { "$ref": "#/$defs/duration" }, "reason": { "type": "string", "maxLength": 255 },
          "pause": { "$ref": "#/$defs/range" }, "cancel": { "$ref": "#/$defs/duration" } } },
        "reading": { "type": "object", "additionalProperties": false, "properties": {
          "every": { "$ref": "#/$defs/duration" }, "batch": { "type": "integer", "minimum": 1 },
          "until": { "$ref": "#/$defs/duration" }, "leaves": { "type": "boolean" },
          "pause": { "$ref": "#/$defs/range" } } },
        "times": { "anyOf": [ { "$ref": "#/$defs/time" },
          { "type": "array", "items": { "$ref": "#/$defs/time" } } ] },
        "time": { "anyOf": [ { "$ref": "#/$defs/duration" },
          { "type": "object", "additionalProperties": false, "required": ["at"], "properties": {
            "at": { "$ref": "#/$defs/duration" }, "who": { "$ref": "#/$defs/name" },
            "session": { "$ref": "#/$defs/name" }, "within": { "$ref": "#/$defs/duration" } } } ] }
    """

  private static let conditions = """
          "profile": { "enum": [\(LinkProfile.allCases.map(\.rawValue.quotedForJSON).joined(separator: ", "))] },
          "latency": { "$ref": "#/$defs/duration" }, "jitter": { "$ref": "#/$defs/duration" },
          "loss": { "$ref": "#/$defs/ratio" }, "burst": { "$ref": "#/$defs/burst" },
          "multicastLoss": { "$ref": "#/$defs/ratio" }, "datagramLoss": { "$ref": "#/$defs/ratio" },
          "duplication": { "$ref": "#/$defs/ratio" },
          "reordering": { "$ref": "#/$defs/ratio" }, "corruption": { "$ref": "#/$defs/ratio" },
          "truncation": { "$ref": "#/$defs/ratio" }, "bandwidth": { "$ref": "#/$defs/rate" },
          "rates": { "anyOf": [ { "type": "string" }, { "type": "array", "items": { "type": "integer" } } ] },
          "queue": { "$ref": "#/$defs/size" }, "mtu": { "$ref": "#/$defs/size" }
    """

  private static let ends = """
          "from": { "$ref": "#/$defs/peers" }, "to": { "$ref": "#/$defs/peers" },
          "between": { "$ref": "#/$defs/sides" }
    """

  private static let network = """
        "burst": { "type": "object", "additionalProperties": false, "properties": {
          "share": { "$ref": "#/$defs/ratio" }, "length": { "type": "integer", "minimum": 1 },
          "enter": { "$ref": "#/$defs/ratio" }, "leave": { "$ref": "#/$defs/ratio" },
          "loss": { "$ref": "#/$defs/ratio" } } },
        "links": { "type": "object", "additionalProperties": false, "properties": {
    \(conditions),
          "exceptions": { "anyOf": [ { "$ref": "#/$defs/exception" },
            { "type": "array", "items": { "$ref": "#/$defs/exception" } } ] } } },
        "exception": { "type": "object", "additionalProperties": false, "properties": {
    \(conditions),
    \(ends) } },
        "fault": { "type": "object", "additionalProperties": false, "required": ["at", "kind"], "properties": {
          "at": { "$ref": "#/$defs/duration" }, "for": { "$ref": "#/$defs/duration" },
          "id": { "type": "integer", "minimum": 1 },
          "kind": { "enum": [\(ScenarioReader.faultKinds.map(\.quotedForJSON).joined(separator: ", "))] },
          "groups": { "$ref": "#/$defs/sides" }, "peer": { "$ref": "#/$defs/peers" },
          "identity": { "enum": ["kept", "new"] }, "grace": { "$ref": "#/$defs/duration" },
          "every": { "$ref": "#/$defs/duration" }, "down": { "$ref": "#/$defs/duration" },
          "over": { "$ref": "#/$defs/duration" }, "within": { "$ref": "#/$defs/duration" },
          "reach": { "enum": ["inbound", "outbound", "both"] },
          "jump": { "$ref": "#/$defs/duration" }, "drift": { "type": "integer" },
          "after": { "$ref": "#/$defs/duration" }, "overhead": { "$ref": "#/$defs/duration" },
          "factor": { "type": "integer", "minimum": 1, "maximum": 1000000 },
    \(conditions),
    \(ends) } },
        "randomKind": { "enum": [\(RandomFaults.Kind.allCases.map(\.rawValue.quotedForJSON).joined(separator: ", "))] },
        "randomFaults": { "type": "object", "additionalProperties": false, "required": ["count"], "properties": {
          "count": { "type": "integer", "minimum": 0, "maximum": 1000 },
          "kinds": { "anyOf": [ { "$ref": "#/$defs/randomKind" },
            { "type": "array", "items": { "$ref": "#/$defs/randomKind" } } ] },
          "storage": { "type": "boolean" },
          "between": { "$ref": "#/$defs/range" }, "lasting": { "$ref": "#/$defs/range" } } }
    """

  private static let priorities = list(ByteStream.Priority.allCases.map(\.word))
  private static let fileAnswers = list(FileReceiving.Answer.allCases.map(\.rawValue))
  private static let fileEndings = list(Verdict.File.Ending.allCases.map(\.rawValue))
  private static let fileCauses = list(
    Verdict.File.Pause.Cause.allCases.filter { $0 != .pausedByRemote }.map(\.rawValue))
  private static let streamEndings = list(
    Verdict.Stream.Ending.allCases.map(\.rawValue))

  private static func list(_ words: [String]) -> String {
    words.map(\.quotedForJSON).joined(separator: ", ")
  }

  private static let expectations = """
        "expectation": { "type": "object", "additionalProperties": false, "properties": {
          "name": { "type": "string", "minLength": 1, "maxLength": 200 },
          "session": { "$ref": "#/$defs/name" }, "links": { "enum": ["all", "healthy"] },
          "connected": { "$ref": "#/$defs/peers" }, "disconnected": { "$ref": "#/$defs/peers" },
          "interrupted": { "$ref": "#/$defs/peers" },
          "total": { "$ref": "#/$defs/duration" }, "longest": { "$ref": "#/$defs/duration" },
          "members": { "anyOf": [ { "$ref": "#/$defs/count" },
            { "type": "object", "additionalProperties": {
              "anyOf": [ { "$ref": "#/$defs/count" }, { "$ref": "#/$defs/bounds" } ] } } ] },
          "event": { "type": "string" }, "reason": { "type": "string" },
          "service": { "$ref": "#/$defs/serviceType" },
          "after": { "type": "string" }, "afterFirst": { "type": "string" },
          "within": { "$ref": "#/$defs/duration" },
          "order": { "type": "array", "items": { "type": "string" } },
          "outcome": { "type": "string" },
          "is": { "anyOf": [ { "type": "string" }, { "type": "array", "items": { "type": "string" } } ] },
          "messages": { "$ref": "#/$defs/messages" }, "streams": { "$ref": "#/$defs/streams" },
          "files": { "$ref": "#/$defs/files" }, "traffic": { "$ref": "#/$defs/traffic" },
          "at": { "$ref": "#/$defs/duration" }, "by": { "$ref": "#/$defs/duration" },
          "from": { "$ref": "#/$defs/duration" }, "throughout": { "$ref": "#/$defs/range" },
          "atLeast": { "$ref": "#/$defs/count" }, "atMost": { "$ref": "#/$defs/count" },
          "exactly": { "$ref": "#/$defs/count" }, "never": { "type": "boolean" } } },
        "bounds": { "type": "object", "additionalProperties": false, "properties": {
          "atLeast": { "$ref": "#/$defs/count" }, "atMost": { "$ref": "#/$defs/count" },
          "exactly": { "$ref": "#/$defs/count" } } },
        "messages": { "type": "object", "additionalProperties": false, "properties": {
          "from": { "$ref": "#/$defs/peers" }, "to": { "$ref": "#/$defs/peers" },
          "delivered": { "anyOf": [ { "enum": ["all"] }, { "$ref": "#/$defs/ratio" } ] },
          "reliable": { "type": "boolean" }, "latency": { "$ref": "#/$defs/latency" },
          "atLeast": { "$ref": "#/$defs/count" }, "atMost": { "$ref": "#/$defs/count" },
          "exactly": { "$ref": "#/$defs/count" } } },
        "streams": { "type": "object", "additionalProperties": false, "properties": {
          "from": { "$ref": "#/$defs/peers" }, "to": { "$ref": "#/$defs/peers" },
          "name": { "$ref": "#/$defs/streamName" },
          "delivered": { "anyOf": [ { "enum": ["all"] }, { "$ref": "#/$defs/ratio" } ] },
          "ends": { "enum": [\(streamEndings)] },
          "atLeast": { "$ref": "#/$defs/size" }, "atMost": { "$ref": "#/$defs/size" },
          "exactly": { "$ref": "#/$defs/size" } } },
        "files": { "type": "object", "additionalProperties": false, "properties": {
          "from": { "$ref": "#/$defs/peers" }, "to": { "$ref": "#/$defs/peers" },
          "name": { "$ref": "#/$defs/fileName" },
          "delivered": { "anyOf": [ { "enum": ["all"] }, { "$ref": "#/$defs/ratio" } ] },
          "ends": { "enum": [\(fileEndings)] }, "receiverEnds": { "enum": [\(fileEndings)] },
          "pauses": { "enum": [\(fileCauses)] },
          "atLeast": { "$ref": "#/$defs/count" }, "atMost": { "$ref": "#/$defs/count" },
          "exactly": { "$ref": "#/$defs/count" } } },
        "traffic": { "type": "object", "additionalProperties": false, "properties": {
    \(ends),
          "atLeast": { "$ref": "#/$defs/size" }, "atMost": { "$ref": "#/$defs/size" },
          "exactly": { "$ref": "#/$defs/size" } } },
        "latency": { "type": "object", "additionalProperties": false, "properties": {
          "p50": { "$ref": "#/$defs/duration" }, "p90": { "$ref": "#/$defs/duration" },
          "p95": { "$ref": "#/$defs/duration" }, "p99": { "$ref": "#/$defs/duration" },
          "max": { "$ref": "#/$defs/duration" } } }
    """
}
