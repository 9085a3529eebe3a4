// One load for what stands beside a request when there were others like it.
export { RepeatNotice } from "./repeat-notice.tsx";
export { DecidedBefore } from "./similar-requests.tsx";
