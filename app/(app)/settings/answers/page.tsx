import { AnswersScreen } from "./answers-screen.tsx";

export const metadata = { title: "Answers" };

export default function AnswersPage() {
  return <AnswersScreen />;
}
