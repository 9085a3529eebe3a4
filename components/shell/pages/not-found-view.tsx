import { PLAIN_BUTTON } from "@/components/shell/pages/plain-button.ts";
import { PlainView } from "@/components/shell/pages/plain-view.tsx";

const MAP_PIN_OFF = [
  "M12.75 7.09a3 3 0 0 1 2.16 2.16",
  "M17.072 17.072c-1.634 2.17-3.527 3.912-4.471 4.727a1 1 0 0 1-1.202 0C9.539 20.193 4 14.993 4 10a8 8 0 0 1 1.432-4.568",
  "m2 2 20 20",
  "M8.475 2.818A8 8 0 0 1 20 10c0 1.183-.31 2.377-.81 3.533",
  "M9.13 9.13a3 3 0 0 0 3.74 3.74",
];

export function NotFoundView() {
  return (
    <PlainView
      icon={MAP_PIN_OFF}
      title="There is nothing here"
      action={
        <a href="/" className={PLAIN_BUTTON}>
          Go to Intray
        </a>
      }
    >
      The address may be mistyped, or it belongs to an organization that you are not in.
    </PlainView>
  );
}
