/** Preloaded into steps that we start (`--import`): killed outright, a start leaves no build behind that goes on by itself. */
if (process.channel) {
  // The step's own children have other channels, and end with it.
  process.execArgv = process.execArgv.filter((word, at, all) => ![word, all[at - 1]].includes("--import"));
  process.on("disconnect", () => process.exit(1));
  process.channel.unref();
}
