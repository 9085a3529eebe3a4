import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { PlainText } from "@/components/text/plain-text.tsx";

const EVIL = "Pay\u202e \u200bnow";
const READ = "Pay\ufffd \ufffdnow";

function Named({ name, children }: { name: string; children: React.ReactNode }) {
  return <b title={name}>{children}</b>;
}

/** As a library that makes its elements past our JSX. */
const Labelled = (props: { "aria-label": string }) => createElement("nav", props);

test("whatever an element shows has no hidden characters, by whichever way it gets there", () => {
  expect(
    renderToStaticMarkup(
      <>
        {EVIL}
        <p>{EVIL}</p>
        <p>
          Tool {EVIL}: {[EVIL, [EVIL]]}
        </p>
        <Named name={EVIL}>{EVIL}</Named>
        <p {...{ title: EVIL }} key="after a spread">
          {EVIL} and {[EVIL]}
        </p>
        <iframe title={EVIL} />
        <meter aria-valuetext={EVIL} />
        <Labelled aria-label={EVIL} />
        <input aria-label={EVIL} placeholder={EVIL} />
        <option>{EVIL}</option>
      </>,
    ),
  ).not.toMatch(/[\u202e\u200b]/);
  expect(renderToStaticMarkup(<p>{EVIL}</p>)).toBe(`<p>${READ}</p>`);
});

test("a title that is crossed out, or blank, is marked", () => {
  expect(renderToStaticMarkup(<p>{"R\u0336e\u0336 \u2800"}</p>)).toBe("<p>R\ufffde\ufffd \ufffd</p>");
  expect(renderToStaticMarkup(<p>{"A\u0489p\u20d2 1\ufe0f\u20e3"}</p>)).toBe(
    "<p>A\ufffdp\ufffd 1\ufe0f\u20e3</p>",
  );
});

test("a text that hides a lot has the codes of the first twenty alone", () => {
  const html = renderToStaticMarkup(<PlainText text={"\u200b&".repeat(1_000)} />);
  expect(html.match(/U\+200B/g)).toHaveLength(20);
  expect(html.match(/\ufffd&/g)).toHaveLength(980);
});

test("what is sent or followed stays exact", () => {
  const html = renderToStaticMarkup(
    <>
      <input defaultValue={EVIL} />
      <textarea defaultValue={EVIL} />
      <option value={EVIL}>x</option>
      <a href={`/${EVIL}`}>x</a>
    </>,
  );
  expect(html.match(/\u202e/g)).toHaveLength(4);
});
