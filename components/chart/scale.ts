/** Returns the end of an axis that fits `most`, and a few round ticks up to that end, without 0. */
export function scaleOf(most: number): { top: number; ticks: number[] } {
  const rough = Math.max(most, 1) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  const whole = Math.max(1, step);
  const count = Math.max(1, Math.ceil(most / whole));
  return { top: count * whole, ticks: Array.from({ length: count }, (_, n) => (n + 1) * whole) };
}
