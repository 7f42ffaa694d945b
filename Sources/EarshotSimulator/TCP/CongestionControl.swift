/// How a connection grows its congestion window when nothing is lost, and how far it shrinks it when something is.
package enum CongestionControl: Hashable, Sendable {
  /// RFC 5681: by a segment a round trip, and to a half.
  case reno
  /// RFC 9438, with the end of slow start found by HyStart: what Linux does unless it is told otherwise.
  case cubic
}
