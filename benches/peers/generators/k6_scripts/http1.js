import http from "k6/http";
import { Rate } from "k6/metrics";

export const options = $options;
const answered = new Rate("answered");

export default function () {
  answered.add(http.get("$url").status === 200);
}
