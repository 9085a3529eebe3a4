/** Where Microsoft is (https://learn.microsoft.com/azure/bot-service/bot-service-resources-bot-framework-faq). Pure. */

export interface Cloud {
  /** Of Entra, without a slash at the end. */
  loginUrl: string;
  /** Of the tokens with which Teams calls bots: who makes them, and where the keys are. */
  issuer: string;
  metadataUrl: string;
  /** Of the tokens with which bots call Teams. */
  scope: string;
  /** Whether a bot is reached there, so that it may be sent our token. */
  isConnector(url: string): boolean;
}

const CLOUDS = {
  public: {
    loginUrl: "https://login.microsoftonline.com",
    issuer: "https://api.botframework.com",
    metadataUrl: "https://login.botframework.com/v1/.well-known/openidconfiguration",
    scope: "https://api.botframework.com/.default",
    // GCC is in this cloud of Entra, with a connector of its own.
    connectors: ["smba.trafficmanager.net", "smba.infra.gcc.teams.microsoft.com"],
  },
  usgov: {
    loginUrl: "https://login.microsoftonline.us",
    issuer: "https://api.botframework.us",
    metadataUrl: "https://login.botframework.azure.us/v1/.well-known/openidconfiguration",
    scope: "https://api.botframework.us/.default",
    connectors: ["smba.infra.gov.teams.microsoft.us", "smba.infra.dod.teams.microsoft.us"],
  },
};

/** `setting`: a cloud's name, or the one address of a local Microsoft in tests. */
export function teamsCloud(setting: string): Cloud {
  if (setting !== "public" && setting !== "usgov") return localCloud(setting);
  const { connectors, ...cloud } = CLOUDS[setting];
  return {
    ...cloud,
    isConnector(text) {
      const url = URL.parse(text);
      return url?.protocol === "https:" && url.port === "" && connectors.includes(url.hostname);
    },
  };
}

function localCloud(url: string): Cloud {
  const { origin } = new URL(url);
  return {
    loginUrl: origin,
    issuer: origin,
    metadataUrl: `${origin}/v1/.well-known/openidconfiguration`,
    scope: `${origin}/.default`,
    isConnector: (text) => URL.parse(text)?.origin === origin,
  };
}
