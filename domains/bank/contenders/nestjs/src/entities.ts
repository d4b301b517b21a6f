/** The three tables, as TypeORM maps them. */

import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, PrimaryGeneratedColumn } from "typeorm";

@Entity("customer")
export class Customer {
  @PrimaryColumn("integer")
  id!: number;

  @Column("text")
  name!: string;

  @Column("text")
  email!: string;

  @Column("text")
  city!: string;

  @Column("date")
  since!: string;
}

@Entity("account")
export class Account {
  @PrimaryColumn("integer")
  id!: number;

  @Column("integer", { name: "customer_id" })
  customerId!: number;

  @Column("text")
  number!: string;

  @Column("text")
  kind!: string;

  @Column("date", { name: "opened_on" })
  openedOn!: string;

  @ManyToOne(() => Customer)
  @JoinColumn({ name: "customer_id" })
  customer?: Customer;
}

@Entity("movement")
export class Movement {
  @PrimaryGeneratedColumn("identity", { type: "integer" })
  id!: number;

  @Column("integer", { name: "account_id" })
  accountId!: number;

  @Column("date", { name: "booked_on" })
  bookedOn!: string;

  @Column("text")
  kind!: string;

  @Column("integer", { name: "amount_cents" })
  amountCents!: number;

  @Column("text")
  reference!: string;

  @Column("text")
  description!: string;

  @ManyToOne(() => Account)
  @JoinColumn({ name: "account_id" })
  account?: Account;
}
