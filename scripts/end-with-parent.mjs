/** Preloaded into steps that we start (`--import`): killed outright, a start leaves no build behind that goes on by itself. */
if (process.channel) {
  process.on("disconnect", () => process.exit(1));
  process.channel.unref();
}
