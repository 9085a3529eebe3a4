/** The end of an axis that holds `most`, and a few round numbers on the way there; 0 is left out. */
export function scaleOf(most: number): { top: number; ticks: number[] } {
  const rough = Math.max(most, 1) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  const whole = Math.max(1, step);
  const count = Math.max(1, Math.ceil(most / whole));
  return { top: count * whole, ticks: Array.from({ length: count }, (_, n) => (n + 1) * whole) };
}
