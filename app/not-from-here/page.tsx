import { FrontPage } from "@/components/shell/pages/front-page.tsx";
import { requireOutside } from "@/lib/web/auth/session.ts";
import { WaysOut } from "./ways-out.tsx";

export const metadata = { title: "Not from this network" };

/** Where a session leads whose organization is not reached from the caller's address. It tells its name, and no more. */
export default async function NotFromHerePage() {
  const { organization, address, others } = await requireOutside();
  return (
    <FrontPage
      title={`${organization} can’t be reached from here`}
      intro={`Your address, ${address}, is in none of the networks that ${organization} allows. Connect to one of them, such as your company’s network or VPN, and try again.`}
    >
      <WaysOut others={others} />
    </FrontPage>
  );
}
