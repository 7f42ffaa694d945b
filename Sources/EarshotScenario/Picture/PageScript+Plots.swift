extension PageScript {
  /// How long messages took, how far streams were read and files written, how much was sent and
  /// was on its way.
  static let plots = #"""
    const svg = (tag, attributes, text) => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      if (text !== undefined) element.textContent = text;
      return element;
    };
    const box = { left: 56, top: 32, width: 290, height: 104 };
    const frame = (title, summary, unit, most, from, to, rows = 1) => {
      const picture = svg("svg", { viewBox: "0 0 360 " + (166 + 13 * rows), role: "img",
        "aria-label": title + ". " + summary });
      picture.append(svg("text", { x: 10, y: 18, class: "title" }, title));
      for (const part of [0, 0.5, 1]) {
        const y = box.top + box.height * (1 - part);
        picture.append(svg("line", { x1: box.left, x2: box.left + box.width, y1: y, y2: y,
          stroke: "var(--line)" }),
          svg("text", { x: box.left - 8, y: y + 3, "text-anchor": "end" }, amount(most * part, unit)));
      }
      picture.append(svg("text", { x: box.left, y: 153 }, from),
        svg("text", { x: box.left + box.width, y: 153, "text-anchor": "end" }, to));
      return picture;
    };
    const amount = (value, unit) => {
      const [size, prefix] = value >= 1e6 ? [1e6, "M"] : value >= 1e3 ? [1e3, "k"] : [1, ""];
      return +(value / size).toPrecision(2) + (prefix + unit ? " " : "") + prefix + unit;
    };
    /// A line through points: how far to the right, and how far up, as shares of the box.
    const line = (points, colour) => {
      const places = points.map(([right, up]) => (box.left + box.width * right).toFixed(1) + ","
        + (box.top + box.height * (1 - up)).toFixed(1));
      return svg("polyline", { points: places.join(" "), fill: "none", stroke: colour,
        "stroke-width": 1.3 });
    };
    const mark = (name, colour, column, row) => {
      const text = svg("text", { x: box.left + column * 90, y: 171 + row * 13 }, "— " + name);
      text.style.fill = colour;
      return text;
    };
    const plotDelays = (run) => {
      const delays = run.messages.filter((message) => message[3] >= 0)
        .map((message) => Math.max(1, message[3] - message[2])).sort((a, b) => a - b);
      if (!delays.length) return null;
      const low = Math.floor(Math.log10(delays[0])), high = Math.log10(delays[delays.length - 1]);
      const bins = new Array(40).fill(0), range = Math.max(0.5, Math.ceil(high * 2) / 2 - low);
      for (const delay of delays)
        bins[Math.min(39, Math.floor((Math.log10(delay) - low) / range * 40))]++;
      const most = Math.max(...bins);
      const at = (share) => short(delays[Math.max(0, Math.ceil(delays.length * share) - 1)]);
      const summary = "half within " + at(0.5) + ", 95 % within " + at(0.95) + ", all within " + at(1);
      const picture = frame("Delivery of messages", summary, "", most, short(10 ** low),
        short(10 ** (low + range)));
      bins.forEach((count, index) => picture.append(svg("rect", { fill: "var(--accent)",
        x: box.left + index * box.width / 40 + 0.5, width: box.width / 40 - 1,
        y: box.top + box.height * (1 - count / most), height: box.height * count / most })));
      picture.append(svg("text", { x: box.left, y: 171 }, summary));
      return picture;
    };
    const plotSeries = (run, title, unit, lines) => {
      const most = Math.max(1, ...lines.flatMap(([, values]) => values));
      const length = run.series.width * run.series.sent.length;
      const words = lines.map(([name, values]) => name + " at most " + amount(Math.max(0, ...values),
        unit)).join(", ");
      const picture = frame(title, words, unit, most, "0 s", short(length));
      lines.forEach(([name, values, colour], index) => {
        const last = Math.max(1, values.length - 1);
        picture.append(line(values.map((value, place) => [place / last, value / most]), colour),
          mark(name, colour, index, 0));
      });
      return picture;
    };
    const hues = ["accent", "good", "connecting", "interrupted", "bad", "frozen"];
    /// Steps: between two of its points nothing was read or written.
    const stairs = (points, end, whole, most, colour, kind) => {
      const steps = points.flatMap(([time, bytes], place) =>
        (place ? [[time, points[place - 1][1]]] : []).concat([[time, bytes]]));
      steps.push([end, points.at(-1)[1]]);
      const drawn = line(steps.map(([time, bytes]) => [time / whole, bytes / most]), colour);
      drawn.setAttribute("class", kind);
      return drawn;
    };
    const plotStreams = (run) => {
      if (!run.streams.length) return null;
      const read = (points) => points.at(-1)[1];
      const most = Math.max(...run.streams.map(([, , points]) => read(points)));
      const names = run.streams.map(([name, end, points]) => name + ": " + amount(read(points), "B")
        + (end < 0 ? "" : " in " + short(end - points[0][0])));
      const whole = Math.max(1, run.duration);
      const picture = frame("Read of streams", names.join(", "), "B", most, "0 s",
        short(whole), names.length);
      run.streams.forEach(([, end, points], index) => {
        const colour = "var(--" + hues[index % hues.length] + ")";
        picture.append(stairs(points, end < 0 ? whole : end, whole, most, colour, "stream"),
          mark(names[index], colour, 0, index));
      });
      return picture;
    };
    /// The colour of each cause of a standstill.
    const standstills = { "link interrupted": "interrupted", "waiting for an answer": "connecting",
      "disk full": "bad", "paused": "frozen", "paused by the other side": "suspended" };
    /// How far a file was at a time.
    const written = (points, time) => points.findLast((point) => point[0] <= time)?.[1] ?? 0;
    /// Steps as of streams, and on them a bar for each standstill: the receiver's above the line,
    /// the sender's below.
    const plotFiles = (run) => {
      if (!run.files.length) return null;
      const most = Math.max(1, ...run.files.map((file) => file[2]));
      const names = run.files.map(([name, end, size, points]) => name + ": "
        + amount(points.at(-1)[1], "B") + " of " + amount(size, "B")
        + (end < 0 ? "" : " in " + short(end - points[0][0])));
      const seen = Object.keys(standstills).filter((cause) =>
        run.files.some((file) => file[4].some((pause) => pause[2] === cause)));
      const whole = Math.max(1, run.duration);
      const picture = frame("Written of files", names.concat(seen).join(", "), "B", most, "0 s",
        short(whole), names.length + seen.length);
      run.files.forEach(([name, end, , points, pauses], index) => {
        const colour = "var(--" + hues[index % hues.length] + ")";
        for (const [start, over, cause, side] of pauses) {
          const y = box.top + box.height * (1 - written(points, start) / most);
          const bar = svg("rect", { class: "standstill", fill: "var(--" + standstills[cause] + ")",
            x: box.left + box.width * start / whole, y: y + (side === "sender" ? 1 : -4),
            width: Math.max(1, box.width * (over - start) / whole), height: 3 });
          bar.append(svg("title", {}, name + ": " + cause + " (" + side + "), "
            + short(over - start)));
          picture.append(bar);
        }
        picture.append(stairs(points, end < 0 ? whole : end, whole, most, colour, "file"),
          mark(names[index], colour, 0, index));
      });
      seen.forEach((cause, index) => picture.append(mark("stands still: " + cause,
        "var(--" + standstills[cause] + ")", 0, names.length + index)));
      return picture;
    };
    const drawPlots = (run) => {
      const rate = (values) => values.map((value) => value / (run.series.width / 1e6));
      const { sent, arrived, lost, inFlight } = run.series;
      const pictures = [plotDelays(run), plotStreams(run), plotFiles(run),
        plotSeries(run, "Payload per second", "B/s", [["sent", rate(sent), "var(--accent)"],
          ["arrived", rate(arrived), "var(--good)"], ["lost", rate(lost), "var(--bad)"]]),
        plotSeries(run, "Payload in queues and on its way", "B",
          [["on its way", inFlight, "var(--connecting)"]])];
      byId("plots" + run.index).append(...pictures.filter((picture) => picture));
    };
    """#
}
