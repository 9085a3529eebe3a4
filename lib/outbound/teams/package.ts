/** The package that an admin uploads to Teams: what the app is, and its two pictures. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import JSZip from "jszip";
import { teamsManifest } from "./teams-schema.ts";

export function teamsPackage(appId: string, appUrl: string): Promise<ArrayBuffer> {
  const picture = (file: string) => readFile(path.join(process.cwd(), "public", file));
  return new JSZip()
    .file("manifest.json", teamsManifest(appId, appUrl))
    .file("color.png", picture("icon-maskable-192.png"))
    .file("outline.png", picture("teams-outline.png"))
    .generateAsync({ type: "arraybuffer" });
}
