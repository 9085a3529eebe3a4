import { expect, test } from "vitest";
import { base64, newId, responseXml } from "../../../test/saml/idp.ts";
import { judgeResponse } from "./judge-response.ts";
import { claimedRequest } from "./response.ts";

const SAID = { entityId: "https://idp.example", acsUrl: "https://intray.example/acs", audience: "intray" };
const PARTIES = {
  ...{ entityId: SAID.entityId, acsUrl: SAID.acsUrl, ownEntityId: SAID.audience },
  ...{ certificates: [], privateKey: "" },
};

test("responses that answer no open request of ours take no place of one that does", async () => {
  const order: string[] = [];
  const judge = async (isAsked: boolean) => {
    const judged = await judgeResponse("acme", isAsked, PARTIES, base64(responseXml(SAID, "")));
    if (judged) expect(judged).toMatchObject({ fault: "malformed" });
    order.push(`${isAsked ? "asked" : "unasked"}${judged ? "" : " refused"}`);
  };
  await Promise.all([...Array.from({ length: 12 }, () => judge(false)), judge(true)]);
  expect(order.filter((each) => each === "unasked refused")).toHaveLength(1);
  expect(order.filter((each) => each !== "unasked refused").indexOf("asked")).toBeLessThan(3);
});

const id = newId();
test.each<[string, string, string | null]>([
  ["one that answers a request", responseXml({ ...SAID, inResponseTo: id }, "<a/>"), id],
  [
    "one with a declaration and other quotes",
    `<?xml version="1.0"?>\n<Response\nInResponseTo = '${id}'/>`,
    id,
  ],
  ["one that answers none", responseXml(SAID, `<a InResponseTo="${id}"/>`), null],
  ["one whose assertion alone does", `<p:Response ID="x"><a InResponseTo="${id}"/></p:Response>`, null],
  ["an attribute of another name", `<p:Response x-InResponseTo="${id}"/>`, null],
  ["what is no id", '<p:Response InResponseTo="\u0000"/>', null],
  ["what is no XML", "InResponseTo", null],
])("the claimed request of %s", (_, xml, claimed) => {
  expect(claimedRequest(base64(xml))).toBe(claimed);
});

test("the claimed request of what is not even base64", () => expect(claimedRequest("%%")).toBe(null));
