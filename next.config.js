/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  // The optimizer is an attack surface we have no use for: no remote or user images are shown.
  images: { unoptimized: true },
};
