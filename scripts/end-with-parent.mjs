/** Preloaded into our steps (`--import`), so that a start that is killed outright leaves no build running. */
if (process.channel) {
  // The step's own children have other channels, and end with it.
  process.execArgv = process.execArgv.filter((word, at, all) => ![word, all[at - 1]].includes("--import"));
  process.on("disconnect", () => process.exit(1));
  process.channel.unref();
}
