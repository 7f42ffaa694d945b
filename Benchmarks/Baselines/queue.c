/* Messages through libzmq: PUSH and PULL, PUB and SUB, or back and forth between two PAIRs.

     queue receive pull|sub BYTES COUNT           prints "ready PORT", then "received FIRST LAST COUNT"
     queue send push|pub BYTES COUNT PORT...      prints "sent"
     queue echo                                   prints "ready PORT"
     queue ask BYTES COUNT PORT                   prints nanoseconds, a line a round trip, then "done"

   The publisher waits rather than drop (ZMQ_XPUB_NODROP); otherwise all settings are the library's. With CURVE in the
   environment everything is encrypted (CurveZMQ); who it is matters to nobody. */
#include "baseline.h"
#include <zmq.h>

static void *open_socket(void *context, int type) {
  void *queue = zmq_socket(context, type);
  require(queue != NULL, "zmq_socket");
  return queue;
}

static const char *server_secret = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"; /* From zmq_curve(7). */

static void be_server(void *queue) {
  int on = 1;
  if (getenv("CURVE") == NULL) return;
  require(zmq_setsockopt(queue, ZMQ_CURVE_SERVER, &on, sizeof on) == 0, "curve");
  require(zmq_setsockopt(queue, ZMQ_CURVE_SECRETKEY, server_secret, 41) == 0, "curve");
}

static void be_client(void *queue) {
  char public[41], secret[41], server[41];
  if (getenv("CURVE") == NULL) return;
  require(zmq_curve_public(server, server_secret) == 0, "curve");
  require(zmq_curve_keypair(public, secret) == 0, "curve");
  require(zmq_setsockopt(queue, ZMQ_CURVE_SERVERKEY, server, 41) == 0, "curve");
  require(zmq_setsockopt(queue, ZMQ_CURVE_PUBLICKEY, public, 41) == 0, "curve");
  require(zmq_setsockopt(queue, ZMQ_CURVE_SECRETKEY, secret, 41) == 0, "curve");
}

static void bind_and_tell(void *queue) {
  char endpoint[64];
  size_t length = sizeof endpoint;
  be_server(queue);
  require(zmq_bind(queue, "tcp://127.0.0.1:*") == 0, "zmq_bind");
  require(zmq_getsockopt(queue, ZMQ_LAST_ENDPOINT, endpoint, &length) == 0, "zmq_getsockopt");
  printf("ready %s\n", strrchr(endpoint, ':') + 1);
  fflush(stdout);
}

static void connect_queue(void *queue, const char *port) {
  char endpoint[64];
  snprintf(endpoint, sizeof endpoint, "tcp://127.0.0.1:%s", port);
  be_client(queue);
  require(zmq_connect(queue, endpoint) == 0, "zmq_connect");
}

static void receive_messages(void *context, int type, size_t message_bytes, long count) {
  void *queue = open_socket(context, type);
  if (type == ZMQ_SUB) require(zmq_setsockopt(queue, ZMQ_SUBSCRIBE, "", 0) == 0, "subscribe");
  bind_and_tell(queue);
  zmq_msg_t message;
  int64_t first = 0;
  zmq_msg_init(&message);
  for (long received = 0; received < count; received += 1) {
    require(zmq_msg_recv(&message, queue, 0) == (int)message_bytes, "zmq_msg_recv");
    if (first == 0) first = nanoseconds();
  }
  printf("received %lld %lld %ld\n", (long long)first, (long long)nanoseconds(), count);
  zmq_msg_close(&message);
  zmq_close(queue);
}

static void send_messages(
    void *context, int type, size_t message_bytes, long count, int receivers, char **ports) {
  void *queue = open_socket(context, type);
  int on = 1;
  if (type == ZMQ_XPUB) {
    require(zmq_setsockopt(queue, ZMQ_XPUB_VERBOSE, &on, sizeof on) == 0, "verbose");
    require(zmq_setsockopt(queue, ZMQ_XPUB_NODROP, &on, sizeof on) == 0, "nodrop");
  }
  for (int index = 0; index < receivers; index += 1) connect_queue(queue, ports[index]);
  char subscription[8], *message = malloc(message_bytes);
  for (int index = 0; type == ZMQ_XPUB && index < receivers; index += 1)
    require(zmq_recv(queue, subscription, sizeof subscription, 0) > 0, "a subscription");
  require(message != NULL, "malloc");
  memset(message, 0xA5, message_bytes);
  for (long sent = 0; sent < count; sent += 1)
    require(zmq_send(queue, message, message_bytes, 0) == (int)message_bytes, "zmq_send");
  printf("sent\n");
  zmq_close(queue);
}

static void echo_messages(void *context) {
  void *queue = open_socket(context, ZMQ_PAIR);
  bind_and_tell(queue);
  zmq_msg_t message;
  zmq_msg_init(&message);
  while (zmq_msg_recv(&message, queue, 0) > 0) zmq_msg_send(&message, queue, 0);
}

static void ask(void *context, size_t message_bytes, long count, const char *port) {
  void *queue = open_socket(context, ZMQ_PAIR);
  connect_queue(queue, port);
  char *message = calloc(1, message_bytes);
  int64_t *times = calloc((size_t)count, sizeof *times);
  require(message != NULL && times != NULL, "calloc");
  for (long index = 0; index < count; index += 1) {
    int64_t start = nanoseconds();
    require(zmq_send(queue, message, message_bytes, 0) >= 0, "zmq_send");
    require(zmq_recv(queue, message, message_bytes, 0) == (int)message_bytes, "zmq_recv");
    times[index] = nanoseconds() - start;
  }
  for (long index = 0; index < count; index += 1) printf("%lld\n", (long long)times[index]);
  printf("done\n");
  int linger = 0;
  zmq_setsockopt(queue, ZMQ_LINGER, &linger, sizeof linger);
  zmq_close(queue);
}

int main(int count, char **arguments) {
  void *context = zmq_ctx_new();
  const char *verb = count > 1 ? arguments[1] : "";
  if (count == 5 && strcmp(verb, "receive") == 0) {
    int type = strcmp(arguments[2], "sub") == 0 ? ZMQ_SUB : ZMQ_PULL;
    receive_messages(context, type, (size_t)atol(arguments[3]), atol(arguments[4]));
  } else if (count > 5 && strcmp(verb, "send") == 0) {
    int type = strcmp(arguments[2], "pub") == 0 ? ZMQ_XPUB : ZMQ_PUSH;
    send_messages(context, type, (size_t)atol(arguments[3]), atol(arguments[4]), count - 5,
                  arguments + 5);
  } else if (count == 2 && strcmp(verb, "echo") == 0) {
    echo_messages(context);
  } else if (count == 5 && strcmp(verb, "ask") == 0) {
    ask(context, (size_t)atol(arguments[2]), atol(arguments[3]), arguments[4]);
  } else {
    fprintf(stderr, "usage: see the head of queue.c\n");
    return EXIT_FAILURE;
  }
  zmq_ctx_term(context);
  return EXIT_SUCCESS;
}
