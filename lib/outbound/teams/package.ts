/** The package that an admin uploads to Teams: what the app is, and its two pictures. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { zipOf } from "../../base/zip.ts";
import { teamsManifest } from "./teams-schema.ts";

export async function teamsPackage(appId: string, appUrl: string): Promise<Buffer> {
  const picture = (file: string) => readFile(path.join(process.cwd(), "public", file));
  return zipOf([
    { name: "manifest.json", bytes: Buffer.from(teamsManifest(appId, appUrl)) },
    { name: "color.png", bytes: await picture("icon-maskable-192.png") },
    { name: "outline.png", bytes: await picture("teams-outline.png") },
  ]);
}
