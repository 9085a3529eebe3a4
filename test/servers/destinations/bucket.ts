/**
 * An S3-compatible service on this machine. It checks every signature as AWS documents Signature Version 4, written
 * independently of what signs, and takes an object once alone if its bucket is locked.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface Bucket {
  url: string;
  hostAndPort: string;
  /** By path: `/bucket/key`. */
  objects: Map<string, string>;
  refused: string[];
  /** The status of its replies to valid requests. */
  status: number;
  close(): Promise<void>;
}

const BUCKET = "audit";
export const BUCKET_KEYS = {
  accessKeyId: "AKIAINTRAYTEST",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCY=",
  region: "eu-central-1",
  bucket: BUCKET,
};

export async function startBucket(): Promise<Bucket> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const [status, why] = judge(request, body);
      if (why) bucket.refused.push(why);
      const answer = status === 200 ? bucket.status : status;
      if (answer === 200) bucket.objects.set(request.url ?? "", body.toString());
      response.writeHead(answer).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const hostAndPort = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const bucket: Bucket = {
    url: `http://${hostAndPort}`,
    hostAndPort,
    objects: new Map(),
    refused: [],
    status: 200,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return bucket;
}

function judge(request: IncomingMessage, body: Buffer): [status: number, why: string | null] {
  const { headers, method = "", url = "" } = request;
  const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest("hex");
  const hmac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? "",
    );
  if (!found) return [403, "no signature"];
  const [, id, day = "", region = "", names = "", signature = ""] = found;
  const time = String(headers["x-amz-date"]);
  const at = Date.parse(time.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  if (id !== BUCKET_KEYS.accessKeyId || region !== BUCKET_KEYS.region) return [403, "another key or region"];
  if (!time.startsWith(day) || !(Math.abs(Date.now() - at) < 15 * 60_000)) return [403, "another time"];
  for (const needed of ["host", "x-amz-content-sha256", "x-amz-date"])
    if (!names.split(";").includes(needed)) return [403, `${needed} is not signed`];
  if (headers["x-amz-content-sha256"] !== sha256(body)) return [400, "another body"];
  if (headers["content-md5"] !== createHash("md5").update(body).digest("base64")) return [400, "another MD5"];
  const canonical = [
    method,
    url.split("?")[0],
    url.split("?")[1] ?? "",
    ...names.split(";").map((name) => `${name}:${String(headers[name]).trim()}`),
    "",
    names,
    headers["x-amz-content-sha256"],
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const key = ["s3", "aws4_request"].reduce(
    (before: Buffer, part) => hmac(before, part),
    hmac(hmac(`AWS4${BUCKET_KEYS.secretAccessKey}`, day), region),
  );
  const expected = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`);
  if (!timingSafeEqual(expected, Buffer.from(signature, "hex"))) return [403, "another signature"];
  if (method !== "PUT" || !url.startsWith(`/${BUCKET}/`)) return [404, "no such bucket"];
  return [200, null];
}
