/** Loaded before an official server: its requests wait ten minutes for their answers, not one, as a test's machine may stand still. */
const { setTimeout: original } = globalThis;
const patient = (work, ms, ...more) => original(work, ms === 60_000 ? 600_000 : ms, ...more);
globalThis.setTimeout = Object.defineProperties(patient, Object.getOwnPropertyDescriptors(original));
